/// The owner of a share of something that many use: names from the outside in, such as an app, and within it a person. Names are compared
/// and hashed as bytes, because callers choose many of them.
package struct ShareOwner: Hashable, Sendable {
    let names: [[UInt8]]

    /// Makes an owner; without names, it is everybody.
    package init(_ names: String...) {
        self.names = names.map { Array($0.utf8) }
    }
}

package struct ShareBound: Sendable {
    /// The maximum number of running jobs.
    package let running: Int
    /// The maximum number of jobs, including waiting ones.
    let all: Int

    /// Makes a bound.
    /// - Parameters:
    ///   - running: positive.
    ///   - waiting: how many more may wait.
    package init(_ running: Int, waiting: Int = 0) {
        precondition(running > 0 && waiting >= 0, "a queue runs something")
        (self.running, all) = (running, running + waiting)
    }
}
