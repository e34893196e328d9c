package import HTTPServer
package import JSON

package struct WebhookAnswers: Sendable {
    private enum Status: String, CaseIterable {
        case accepted, duplicate, ignored

        var response: Response { Response(status: 200, json: ["status": .string(rawValue)]) }
    }

    package static let schema = Schema.status(of: Status.self)

    package let accepted = Status.accepted.response
    package let duplicate = Status.duplicate.response
    package let ignored = Status.ignored.response
    package let denied = Response.error(403, code: "denied", message: "The origin of this webhook is not proven.")
    package let refusals = StoreRefusals()

    package init() {}
}
