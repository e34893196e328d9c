package import HTTPServer
internal import JSON

/// The answers to webhooks, made once.
package struct WebhookAnswers: Sendable {
    /// It is durable.
    package let accepted = Response(status: 200, json: ["status": "accepted"])
    /// It was durable before.
    package let duplicate = Response(status: 200, json: ["status": "duplicate"])
    /// Nothing is to be done about it.
    package let ignored = Response(status: 200, json: ["status": "ignored"])
    /// Its origin is not proven.
    package let denied = Response.error(403, "denied", "The origin of this webhook is not proven.")
    /// It could not be stored.
    package let refusals = StoreRefusals()

    /// Makes the answers.
    package init() {}
}
