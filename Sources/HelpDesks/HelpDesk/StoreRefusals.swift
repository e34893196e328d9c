package import Core
package import HTTPServer

/// The answers where the store has refused something, made once.
package struct StoreRefusals: Sendable {
    /// Makes the answers.
    package init() {}

    /// Nothing is known but that it is not stored.
    package let unavailable = refusal("unavailable", "It could not be stored; try again.", retryAfterSeconds: 5)
    private let queueFull = refusal("queue_full", "Too many deliveries wait; try again later.", retryAfterSeconds: 30)
    private let diskFull = refusal("disk_full", "There is no room to store it; try again later.", retryAfterSeconds: 60)
    private let corrupt = refusal("corrupt", "The store is damaged; try again later.", retryAfterSeconds: 60)
    private let closed = refusal("closed", "The service is stopping; try again.", retryAfterSeconds: 1)

    /// The answer to a refusal of this kind.
    package func response(_ kind: StoreError.Kind) -> Response {
        switch kind {
        case .queueFull: queueFull
        case .diskFull: diskFull
        case .corrupt: corrupt
        case .unavailable, .notOpen: unavailable
        case .closed: closed
        }
    }

    private static func refusal(_ code: String, _ message: String, retryAfterSeconds: Int) -> Response {
        .error(503, code, message, headers: [("Retry-After", "\(retryAfterSeconds)")])
    }
}
