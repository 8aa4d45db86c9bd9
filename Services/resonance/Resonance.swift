import ResonanceCLI

/// The operator's tool.
@main
struct Resonance {
    static func main() async { await ResonanceTool.main() }
}
