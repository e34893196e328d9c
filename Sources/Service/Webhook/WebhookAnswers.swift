internal import Core
internal import HTTPServer
internal import JSON

/// The answers to webhooks, made once.
struct WebhookAnswers: Sendable {
    let accepted = Response(status: 200, json: ["status": "accepted"])
    let duplicate = Response(status: 200, json: ["status": "duplicate"])
    let ignored = Response(status: 200, json: ["status": "ignored"])
    let denied = Response.error(403, "denied", "The origin of this webhook is not proven.")
    let unavailable = refusal("unavailable", "The event could not be stored; try again.", retryAfterSeconds: 5)
    private let queueFull = refusal("queue_full", "Too many deliveries wait; try again later.", retryAfterSeconds: 30)
    private let diskFull = refusal("disk_full", "There is no room to store the event; try again later.", retryAfterSeconds: 60)
    private let corrupt = refusal("corrupt", "The store is damaged; try again later.", retryAfterSeconds: 60)
    private let closed = refusal("closed", "The service is stopping; try again.", retryAfterSeconds: 1)

    /// The answer where the store has refused an event.
    func refusal(_ kind: StoreError.Kind) -> Response {
        switch kind {
        case .queueFull: queueFull
        case .diskFull: diskFull
        case .corrupt: corrupt
        case .unavailable: unavailable
        case .closed: closed
        }
    }

    private static func refusal(_ code: String, _ message: String, retryAfterSeconds: Int) -> Response {
        .error(503, code, message, headers: [("Retry-After", "\(retryAfterSeconds)")])
    }
}
