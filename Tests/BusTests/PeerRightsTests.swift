import Foundation
import Protocols
import Testing

@testable import Bus

/// Keys, pairings and rights, without a socket.
struct PeerRightsTests {
    private func text(_ prefixes: [[UInt8]]) -> [String] {
        prefixes.map { String(decoding: $0, as: UTF8.self) }.sorted()
    }

    @Test(arguments: [
        ("", ["music/glance\0", "music/glance/", "time/"]),
        ("music/", ["music/glance\0", "music/glance/"]),
        ("music/glance/me\0", ["music/glance/me\0"]),
        ("music/glance2/", []),
        ("bio/", []),
        ("t", ["time/"]),
        ("~sync/abc123\0", ["~sync/abc123\0"]),
        ("~sync/", []),
        ("~", []),
    ])
    func `a subscription is narrowed to what may be heard`(wanted: String, expected: [String]) {
        let rights = PeerRights(processes: [], publish: [], hear: ["music/glance", "time/"], ask: [])
        #expect(text(rights.narrowed(Array(wanted.utf8))) == expected.sorted())
    }

    @Test func `a star is everything, nothing is nothing`() {
        #expect(RightsProfile.full.rights(for: "x").narrowed([]) == [[]])
        let none = PeerRights(processes: [], publish: [], hear: [], ask: [])
        #expect(none.narrowed([]).isEmpty)
        #expect(!none.mayPublish("bio/rr/me") && !none.mayHear("bio/rr/me") && !none.mayAsk("brain", "skip"))
        #expect(!none.mayBe(.sensor))
    }

    @Test func `a watch tells and steers, and sees nothing but the song`() {
        let watch = RightsProfile.watch.rights(for: "wrist")
        #expect(watch.mayBe(.sensor) && watch.mayBe("wrist") && !watch.mayBe(.brain) && !watch.mayBe(.body))
        for topic in ["bio/heart-rate/me", "bio/batch/me", "bio/workout/me", "input/mood/me"] {
            #expect(watch.mayPublish(topic) && !watch.mayHear(topic))
        }
        #expect(watch.mayHear("music/glance/me") && watch.mayHear("time/now/me"))
        for topic in ["state/vector/me", "body/stress/me", "music/decision/me", "context/desktop/me"] {
            #expect(!watch.mayHear(topic) && !watch.mayPublish(topic))
        }
        #expect(
            watch.mayAsk("brain", "skip") && !watch.mayAsk("brain", "delete-all") && !watch.mayAsk("body", "export"))
    }

    @Test func `a reader hears nothing of the body`() {
        let reader = RightsProfile.reader.rights(for: "wall")
        #expect(reader.mayHear("music/now/me") && reader.mayHear("sys/processes/me"))
        for topic in ["bio/rr/me", "body/stress/me", "state/vector/me", "context/desktop/me", "input/mood/me"] {
            #expect(!reader.mayHear(topic))
        }
        #expect(!reader.mayPublish("input/mood/me") && !reader.mayAsk("brain", "skip"))
    }

    @Test func `a pairing survives its line, and a damaged line is refused without repeating it`() throws {
        let pair = try CurveKey.newPair()
        let hub = try CurveKey.newPair()
        let pairing = Pairing(
            name: "wrist", address: "192.0.2.7:7600", hubKey: hub.publicKey, secretKey: pair.secretKey)
        #expect(try Pairing(line: pairing.line + "\n") == pairing)
        #expect(try CurveKey.publicKey(of: pair.secretKey) == pair.publicKey)
        let secret = pair.secretKey.text
        for line in [
            String(pairing.line.dropLast()), pairing.line.replacing("@", with: ""), "http://x/\(secret)",
            pairing.line.replacing(":7600", with: ""), pairing.line + "/more",
        ] {
            let error = #expect(throws: BusError.self) { try Pairing(line: line) }
            #expect(!"\(error.map { "\($0)" } ?? "")".contains(secret.prefix(20)))
        }
        // Nothing that a shell would change.
        #expect(pairing.line.allSatisfy { $0.isLetter || $0.isNumber || "-_.:/@".contains($0) })
    }

    @Test func `keys are kept for their owner alone`() throws {
        let config = try TemporaryDirectory()
        let keys = try HubKeys.loadOrMake(in: config.url)
        #expect(try HubKeys.loadOrMake(in: config.url) == keys)
        let pair = try CurveKey.newPair()
        let peer = AuthorizedPeer(
            name: "wrist", publicKey: pair.publicKey, profile: .watch, rights: RightsProfile.watch.rights(for: "wrist"),
            addedAt: noon)
        try AuthorizedPeers.add(peer, in: config.url)
        #expect(throws: KeyFileError.nameTaken(name: "wrist")) { try AuthorizedPeers.add(peer, in: config.url) }
        #expect(throws: KeyFileError.unknownName(name: "other")) { try AuthorizedPeers.remove("other", in: config.url) }
        #expect(try AuthorizedPeers.load(from: config.url).peers == [peer])
        for file in [HubKeys.file(in: config.url), AuthorizedPeers.file(in: config.url)] {
            let attributes = try FileManager.default.attributesOfItem(atPath: file.path(percentEncoded: false))
            #expect(attributes[.posixPermissions] as? Int == 0o600)
        }
        let file = HubKeys.file(in: config.url).path(percentEncoded: false)
        #expect(chmod(file, 0o640) == 0)
        #expect(throws: KeyFileError.open(path: file, mode: 0o640)) { try HubKeys.loadOrMake(in: config.url) }
        for name in ["brain", "hub", "sensor-emitter", "", "Wrist", "a/b", "cli-1"] {
            #expect(!AuthorizedPeers.isName(name))
        }
    }
}
