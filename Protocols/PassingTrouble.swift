/// An error that may lie in the surroundings and not in what was being handled, such as a full disk.
///
/// An event that meets one is tried again for as long as it takes; it never becomes a dead letter.
package protocol PassingTrouble: Error {
    /// True when trying again later may work.
    var isPassing: Bool { get }
}
