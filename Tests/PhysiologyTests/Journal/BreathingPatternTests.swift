import Physiology
import Testing

struct BreathingPatternTests {
    @Test func `a pattern is in and out, with holds where it has them`() throws {
        let six = try #require(BreathingPattern("4-6"))
        #expect(six.secondsPerBreath == 10)
        #expect(six.phases.map(\.phase) == [.breatheIn, .breatheOut])
        let box = try #require(BreathingPattern("4-4-4-4"))
        #expect(box.phases.map(\.phase) == [.breatheIn, .holdFull, .breatheOut, .holdEmpty])
        #expect(try #require(BreathingPattern("4-7-8")).secondsPerBreath == 19)
        #expect(try #require(BreathingPattern("4-0-6")).phases.map(\.phase) == [.breatheIn, .breatheOut])
    }

    @Test(arguments: ["", "4", "4-", "a-b", "0-6", "4-6-2-2-2", "4-31", "-4-6", "nan-4", "0.1-4"])
    func `anything else is none`(text: String) {
        #expect(BreathingPattern(text) == nil)
    }

    @Test(
        arguments: [
            (0, 1, .breatheIn, 0), (2, 1, .breatheIn, 0.5), (4, 1, .holdFull, 0), (11, 1, .breatheOut, 0),
            (15, 1, .breatheOut, 0.5), (19, 2, .breatheIn, 0), (42, 3, .holdFull, 0),
        ] as [(Double, Int, BreathingPattern.Phase, Double)])
    func `every moment has its breath and phase`(
        elapsed: Double, breath: Int, phase: BreathingPattern.Phase, share: Double
    ) throws {
        let moment = try #require(BreathingPattern("4-7-8")).moment(elapsed)
        #expect(moment.breath == breath && moment.phase == phase)
        #expect(abs(moment.share - share) < 1e-9)
    }
}
