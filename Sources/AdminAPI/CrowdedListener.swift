package import Core
package import HTTPServer

/// A listener that had no room for a connection, or for a body.
package struct CrowdedListener: Sendable, Equatable {
    /// Milliseconds after the last such time during which it is a problem.
    package static let shownMilliseconds: UInt64 = 60_000

    package let listener: Name
    /// The limit of connections that was reached; nil for the memory for bodies.
    package let bound: ReachedBound?

    package init(_ listener: Name, _ bound: ReachedBound?) {
        (self.listener, self.bound) = (listener, bound)
    }

    package enum Name: String, Sendable, CaseIterable {
        /// The listener for help desks and apps.
        case `public`
        case admin

        /// The configuration key that limits its connections.
        var place: String { self == .public ? "listen.max_connections" : "admin.max_connections" }

        /// The remedy for a lack of memory for bodies; the end of a sentence.
        package var remedyOfBodies: LocalizedText {
            switch self {
            case .public:
                LocalizedText(
                    "raise listen.bodies_megabytes and restart; if unknown clients send large bodies, limit them in the proxy",
                    "увеличьте listen.bodies_megabytes и перезапустите службу; если большие тела шлют посторонние, ограничьте их на прокси"
                )
            case .admin: LocalizedText("send fewer large requests concurrently", "отправляйте меньше больших запросов одновременно")
            }
        }
    }
}
