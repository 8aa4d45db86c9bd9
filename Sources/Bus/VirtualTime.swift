/// Rules of virtual time that every implementation shares.
package enum VirtualTime {
    /// A question is only given up after this many steps, however long one step is: the answer to a question of step
    /// n is computed in step n + 1 and heard in step n + 2.
    package static let minimumDeadlineSteps = 4
}
