import Testing

@testable import Bus

struct TopicTableTests {
    private func read(_ table: TopicTable, _ bytes: [UInt8]) -> String? {
        bytes.withUnsafeBytes { table.topic($0.dropLast()) }
    }

    @Test func `bytes come back as the same topic however often, and never what is not UTF-8`() {
        let table = TopicTable()
        for _ in 0..<3 {
            #expect(read(table, Array("bio/rr/me\0".utf8)) == "bio/rr/me")
            #expect(read(table, Array("bio/rr/you\0".utf8)) == "bio/rr/you")
            #expect(read(table, Array("bio/é\0".utf8)) == "bio/é")
            #expect(read(table, [0xFF, 0]) == nil)
        }
    }

    @Test func `more topics than it remembers are still read right`() {
        let table = TopicTable()
        for round in 0..<2 {
            for number in 0..<(TopicTable.limit + 500) {
                guard read(table, Array("bio/rr/\(number)\0".utf8)) == "bio/rr/\(number)" else {
                    Issue.record("round \(round), topic \(number)")
                    return
                }
            }
        }
    }
}
