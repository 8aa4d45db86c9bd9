import Foundation
import Music

/// The best songs of a pool, best first, without sorting the pool.
package struct TopSongs: Sendable {
    package struct Entry: Hashable, Sendable {
        package let position: Int
        package let score: Double
    }

    /// Best first; equal scores in the order of their ids, however the table is ordered.
    package let entries: [Entry]

    /// - Parameters:
    ///   - scores: one per song of `table`.
    ///   - blocked: one per song; 0 = admissible.
    ///   - limit: how many to keep, at least 1.
    package init(of scores: [Double], blocked: [UInt8], limit: Int, table: SongTable) {
        var heap: [Entry] = []
        heap.reserveCapacity(limit)
        // True when `a` is worse than `b`.
        func isWorse(_ a: Entry, _ b: Entry) -> Bool {
            a.score != b.score ? a.score < b.score : table.idRank[a.position] > table.idRank[b.position]
        }
        func siftDown() {
            var parent = 0
            while true {
                var worst = parent
                for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                    if isWorse(heap[child], heap[worst]) { worst = child }
                }
                if worst == parent { return }
                heap.swapAt(parent, worst)
                parent = worst
            }
        }
        // The heap holds its worst entry first; nearly every song fails the one comparison with it.
        var floor = -Double.infinity
        let (values, gate) = (scores.span, blocked.span)
        let limit = max(1, limit)
        for position in 0..<min(scores.count, blocked.count) {
            let score = values[unchecked: position]
            guard score >= floor, gate[unchecked: position] == 0 else { continue }
            let entry = Entry(position: position, score: score)
            if heap.count < limit {
                heap.append(entry)
                var child = heap.count - 1
                while child > 0, isWorse(heap[child], heap[(child - 1) / 2]) {
                    heap.swapAt(child, (child - 1) / 2)
                    child = (child - 1) / 2
                }
            } else if isWorse(heap[0], entry) {
                heap[0] = entry
                siftDown()
            }
            if heap.count == limit { floor = heap[0].score }
        }
        entries = heap.sorted { isWorse($1, $0) }
    }
}
