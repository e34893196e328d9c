package import HTTPServer
package import JSON

/// The answers to webhooks, made once.
package struct WebhookAnswers: Sendable {
    private enum Status: String, CaseIterable {
        case accepted, duplicate, ignored

        var response: Response { Response(status: 200, json: ["status": .string(rawValue)]) }
    }

    /// The schema of the 200 answers.
    package static let schema = Schema.status(of: Status.self)

    package let accepted = Status.accepted.response
    /// It was durable before.
    package let duplicate = Status.duplicate.response
    /// Nothing is to be done about it.
    package let ignored = Status.ignored.response
    /// The origin is not proven.
    package let denied = Response.error(403, code: "denied", message: "The origin of this webhook is not proven.")
    /// It could not be stored.
    package let refusals = StoreRefusals()

    package init() {}
}
