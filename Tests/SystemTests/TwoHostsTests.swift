import Foundation
import Testing

/// The sensor on one machine, everything else on another, and a bad network between them.
@Suite(
    .serialized, .enabled(if: Binaries.directory != nil, "the executables are not built: run deploy/build"),
    .enabled(if: TwoHosts.obstacle == nil, "two hosts: \(TwoHosts.obstacle ?? "")"))
struct TwoHostsTests {
    /// Seconds without a cable: 60 with `RESONANCE_FULL_TESTS`, shorter otherwise.
    private static let outage = ProcessInfo.processInfo.environment["RESONANCE_FULL_TESTS"] != nil ? 60.0 : 10.0

    private struct Batch {
        var epoch: UInt64
        var sequence: Int
        var sampleAts: [Double]
        var heardAt: Double
    }

    private func batches(_ tail: Tail) throws -> [Batch] {
        try tail.lines().compactMap { line in
            guard line["topic"] as? String == "bio/batch/me", let body = line["body"] as? [String: Any],
                let sequence = line["sequence"] as? Int, let epoch = line["epoch"] as? NSNumber,
                let at = line["at"] as? Double
            else { return nil }
            let beats = body["heartRate"] as? [[String: Any]] ?? []
            return Batch(
                epoch: epoch.uint64Value, sequence: sequence, sampleAts: beats.compactMap { $0["at"] as? Double },
                heardAt: at)
        }
    }

    @Test func `every batch of a sensor with a wrong clock behind a bad network arrives once, in order, rightly aged`()
        async throws
    {
        let hosts = try TwoHosts()
        let (hub, sensor) = (hosts.hub, hosts.sensor)
        let address = TwoHosts.hubAddress
        try hosts.setNetwork("pass")
        try hub.start("hub", ["--listen", "\(address):7600"])
        _ = try await hub.resonance(["wait-ready", "hub", "--timeout", "30"])
        try hub.start("body", ["--time-zone", "UTC"])
        _ = try await hub.resonance(["wait-ready", "body", "--timeout", "30"])
        let relay = Binaries.repository.appending(path: "Tests/Tools/relay.py").path(percentEncoded: false)
        try hub.start(
            "python3",
            [
                relay, hosts.control.path(percentEncoded: false), "\(address):7610", "\(address):7600",
                "\(address):7611", "\(address):7601",
            ], executable: URL(filePath: "/usr/bin/python3"))
        let tail = try hub.tail("batches", "bio/")

        // Not paired yet: told so, at once.
        let pairing = hub.root.appending(path: "wrist.pairing").path(percentEncoded: false)
        let paired = try await hub.resonance(["pair", "wrist", "--address", "\(address):7610", "--file", pairing])
        #expect(paired.status == 0, "\(paired.errors)")
        let accepted = try await sensor.resonance(["pair", "--accept", "@\(pairing)"])
        #expect(accepted.status == 0, "\(accepted.errors)")
        let refused = try await sensor.resonance(["ps", "--hub", "@\(pairing)"])
        // A watch may not be a tool, and hears that this is why.
        #expect(refused.status == 77 && refused.errors.contains("the key wrist may not be cli-"), "\(refused.errors)")

        let started = Date().timeIntervalSince1970 * 1000
        try sensor.start("sensor-emitter", ["--source", "simulate", "--no-music-effects", "--time-zone", "UTC"])
        _ = try await eventually("live samples", within: 60) {
            try tail.bodies("bio/heart-rate/me").isEmpty ? nil : true
        }
        try hosts.setNetwork("delay 0.2")
        _ = try await eventually("a first batch", within: 90) { try batches(tail).isEmpty ? nil : true }
        try hosts.setCable(false)
        try await Task.sleep(for: .seconds(Self.outage))
        try hosts.setCable(true)
        try hosts.setNetwork("stall")
        try await Task.sleep(for: .seconds(3))
        try hosts.setNetwork("cut")
        let before = try batches(tail).count
        _ = try await eventually("batches after the outage", within: 150) {
            try batches(tail).count >= before + 2 ? true : nil
        }
        try await sensor.stop(["sensor-emitter"])
        let log = sensor.log("sensor-emitter")
        // What the last words of the sensor were is on its disk or here; the hub has nothing left for the body.
        let heard = try batches(tail)
        #expect(Set(heard.map(\.epoch)).count == 1)
        #expect(heard.map(\.sequence) == Array(1...heard.count), "\(log.suffix(1000))")
        let ats = heard.flatMap(\.sampleAts)
        #expect(ats.count >= 60)
        #expect(zip(ats, ats.dropFirst()).allSatisfy { $0 < $1 })
        // A clock that is five minutes off would show: no sample is from before the start or from the future, and each
        // batch was made when its last sample was.
        #expect(ats.allSatisfy { $0 > started - 1000 && $0 < Date().timeIntervalSince1970 * 1000 + 1000 })
        for batch in heard { #expect(abs(batch.heardAt - (batch.sampleAts.last ?? 0)) < 5000) }
        let live = try tail.lines().filter { $0["topic"] as? String == "bio/heart-rate/me" }
        #expect(live.allSatisfy { ($0["at"] as? Double ?? 0) > started - 1000 })

        // Shut out: refused, and the sensor says why.
        try sensor.start("sensor-emitter", ["--source", "simulate", "--no-music-effects", "--time-zone", "UTC"])
        let count = live.count
        _ = try await eventually("live samples again", within: 60) {
            try tail.bodies("bio/heart-rate/me").count > count ? true : nil
        }
        let shutOut = try await hub.resonance(["unpair", "wrist"])
        #expect(shutOut.status == 0, "\(shutOut.errors)")
        _ = try await eventually("the refusal in both logs", within: 20) {
            sensor.log("sensor-emitter").contains("this key is not on the hub's list")
                && hub.log("hub").contains("this key is not on the list") ? true : nil
        }
        try await sensor.stop(["sensor-emitter"])
        try await hub.stop(["hub", "body", "python3"])
    }
}
