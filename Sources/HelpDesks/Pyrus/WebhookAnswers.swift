internal import HTTPServer
internal import HelpDesk
internal import JSON

/// The answers to webhooks, made once.
struct WebhookAnswers: Sendable {
    let accepted = Response(status: 200, json: ["status": "accepted"])
    let duplicate = Response(status: 200, json: ["status": "duplicate"])
    let ignored = Response(status: 200, json: ["status": "ignored"])
    let denied = Response.error(403, "denied", "The origin of this webhook is not proven.")
    let refusals = StoreRefusals()
}
