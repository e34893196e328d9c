package import HTTPServer

/// A listener that had no room for a connection.
package struct CrowdedListener: Sendable, Equatable {
    /// How long after the last such connection it is a problem, in milliseconds.
    package static let shownMilliseconds: UInt64 = 60_000

    /// Which listener.
    package let listener: Name
    /// The bound that was reached.
    package let bound: ReachedBound

    /// Names the listener and the bound.
    package init(_ listener: Name, _ bound: ReachedBound) {
        (self.listener, self.bound) = (listener, bound)
    }

    /// A listener as metrics name it.
    package enum Name: String, Sendable, CaseIterable {
        /// The one that help desks and apps call.
        case `public`
        /// The one for operators.
        case admin

        /// Where the configuration bounds its connections.
        var place: String { self == .public ? "listen.max_connections" : "admin.max_connections" }
    }
}
