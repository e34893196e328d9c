/// The owner of a share of a resource: names from the outside in, such as an app and a user. Names are compared and hashed as bytes,
/// because callers choose many of them.
package struct ShareOwner: Hashable, Sendable {
    let names: [[UInt8]]

    /// Without names, it represents all owners.
    package init(_ names: String...) {
        self.names = names.map { Array($0.utf8) }
    }
}

/// The limits of one owner's jobs.
package struct ShareBound: Sendable {
    package let running: Int
    /// Running and waiting jobs.
    let all: Int

    package init(_ running: Int, waiting: Int = 0) {
        precondition(running > 0 && waiting >= 0, "a queue must be able to run a job")
        (self.running, all) = (running, running + waiting)
    }
}
