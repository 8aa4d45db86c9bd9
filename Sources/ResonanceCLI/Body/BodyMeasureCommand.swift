import ArgumentParser
import Foundation
import Protocols

struct BodyMeasureCommand: BodyCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure", abstract: "Measure your stress now: the watch is asked for a minute.",
        discussion: """
            Sit still and breathe as usual. The reading is kept like any other, marked as asked for.

            Example: resonance body measure
            Example: resonance body measure --json

            Exit codes: 0 measured, 69 no sensor answers or it tells no heart rate, 75 you were moving.
            """)

    @OptionGroup var output: OutputOptions
    @OptionGroup var place: BodyPlace

    func run(in household: any Household, on terminal: Terminal) async throws {
        terminal.progress("measuring for a minute: sit still …")
        let answer = await household.attempt(MeasureStress(), deadline: .seconds(MeasureStress.deadlineSeconds))
        terminal.endProgress()
        switch answer {
        case .success(let reading):
            try terminal.answer(reading, json: output.json) { reading.lines(terminal) }
        case .failure(let refusal) where refusal.code == "gated":
            throw CommandFailure(.tryAgain, refusal.message, cure: "rest a little, then `resonance body measure`")
        case .failure(let refusal) where ["unavailable", "no-samples"].contains(refusal.code):
            throw CommandFailure(
                .unavailable, refusal.message, cure: "see with `resonance ps` whether a sensor is there")
        case .failure(let refusal): throw refusal
        }
    }
}
