/// What only one kind of file has to say; its keys stand beside those of every report.
package protocol InspectionDetail: Encodable, Sendable {
    /// For a person, indented by two spaces.
    var lines: [String] { get }
}
