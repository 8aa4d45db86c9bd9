import Decisions
import Foundation
import Music
import Physiology
import Protocols
import Testing

struct SelectionTests {
    private func input(_ songs: [Song], _ state: StateVector = aState(), hour: Double = 14) -> DecisionInput {
        DecisionInput(now: monday(hour), timeZone: utc, state: state, table: SongTable(songs))
    }

    private func pool(_ count: Int) -> [Song] {
        (0..<count).map { aSong("s\($0)", bpm: 100 + Double($0 % 40), energy: Double($0 % 10) / 10) }
    }

    @Test func `one seed gives one pick`() {
        var first = SplitMix64(seed: 9)
        var second = SplitMix64(seed: 9)
        for _ in 0..<50 {
            let one = DecisionMaker.decide(input(pool(100)), using: &first)
            let other = DecisionMaker.decide(input(pool(100)), using: &second)
            #expect(
                one.message(decisionId: "x", seed: 9, playlist: nil)
                    == other.message(decisionId: "x", seed: 9, playlist: nil))
        }
    }

    /// First outputs for seed 1234567, from the reference program splitmix64.c.
    @Test func `the generator is splitmix64`() {
        var generator = SplitMix64(seed: 1_234_567)
        #expect(generator.next() == 6_457_827_717_110_365_317)
        #expect(generator.next() == 3_203_168_211_198_807_973)
    }

    @Test func `the order of the library does not matter`() {
        var shuffler = SplitMix64(seed: 5)
        let songs = pool(300)
        let mixed = songs.shuffled(using: &shuffler)
        for seed in 0..<40 {
            var a = SplitMix64(seed: UInt64(seed))
            var b = SplitMix64(seed: UInt64(seed))
            let one = DecisionMaker.decide(input(songs), using: &a).message(decisionId: "", seed: 0, playlist: nil)
            let other = DecisionMaker.decide(input(mixed), using: &b).message(decisionId: "", seed: 0, playlist: nil)
            #expect(one == other)
        }
    }

    @Test func `probabilities sum to one over all admissible songs`() {
        var generator = SplitMix64(seed: 1)
        for count in [1, 10, 24, 300] {
            let decision = DecisionMaker.decide(input(pool(count)), using: &generator)
            let tail = Double(count - decision.candidates.count) * 0.05 / Double(count)
            #expect(abs(decision.candidates.reduce(0) { $0 + $1.probability } + tail - 1) < 1e-9)
        }
    }

    @Test func `songs are drawn as often as their probability says`() throws {
        var generator = SplitMix64(seed: 77)
        let pool = input(pool(60))
        let draws = 4000
        var counts: [String: Int] = [:]
        var randoms = 0
        var expected: [Decision.Candidate] = []
        for _ in 0..<draws {
            let decision = DecisionMaker.decide(pool, using: &generator)
            counts[try #require(decision.song).id, default: 0] += 1
            if decision.random { randoms += 1 }
            expected = decision.candidates
            let own = decision.candidates.first { $0.songId == decision.song?.id }?.probability
            #expect(abs(decision.probability - (own ?? 0.05 / 60)) < 1e-12)
        }
        // Five standard deviations of a binomial count.
        for candidate in expected {
            let p = candidate.probability
            let spread = 5 * (Double(draws) * p * (1 - p)).squareRoot()
            #expect(abs(Double(counts[candidate.songId] ?? 0) - Double(draws) * p) < spread + 1)
        }
        #expect(abs(Double(randoms) - 200) < 70)
    }

    @Test func `nothing is drawn at random under stress, before sleep, at night, or when switched off`() {
        var off = Preferences()
        off.randomShare = 0
        func share(_ state: StateVector, _ hour: Double, _ preferences: Preferences = Preferences()) -> Double {
            SelectionPolicy(preferences: preferences, state: state, local: LocalTime(monday(hour), in: utc)).randomShare
        }
        #expect(share(aState(), 14) == 0.05)
        #expect(share(aState(stress: 0.71), 14) == 0)
        #expect(share(aState(.calm, .preSleep), 20) == 0)
        #expect(share(aState(), 22) == 0)
        #expect(share(aState(), 3) == 0)
        #expect(share(aState(), 14, off) == 0)
    }

    /// From `printf 'a\nb\nc\n' | sha256sum`.
    @Test func `the hash of the candidates is SHA-256 over their sorted ids`() {
        var generator = SplitMix64(seed: 1)
        let decision = DecisionMaker.decide(input([aSong("c"), aSong("a"), aSong("b")]), using: &generator)
        #expect(decision.candidatesHash == "880553fca8fcea94e325ee2cfb48e5a985cc797f39a14cc6d3cedecfeb2ae4d2")
    }

    /// FIPS 180-4 examples and the empty message.
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
    ])
    func `SHA-256 gives the published digests`(text: String, digest: String) {
        var hash = SHA256()
        hash.update(text.utf8)
        #expect(hash.finish() == digest)
    }

    /// FIPS 180-4 example: one million times the letter a.
    @Test func `SHA-256 takes a long message piece by piece`() {
        var hash = SHA256()
        for _ in 0..<1000 { hash.update(repeatElement(UInt8(ascii: "a"), count: 1000)) }
        #expect(hash.finish() == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    }
}
