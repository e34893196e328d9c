internal import Core
internal import HTTPClient
internal import HTTPServer
internal import HelpDesk
internal import JSON
internal import Time
internal import URLPreviews

struct URLPreviewAnswers {
    private let refusals = AuthorizeRefusals()
    let off = Response.error(404, code: "off", message: "This app has no URL previews.")
    let busy = Response.error(
        503, code: "busy", message: "Too many pages are being fetched; retry later.", headers: [("Retry-After", "2")])

    var undecided: Response { refusals.undecided }

    func answer(to outcome: PreviewOutcome) -> (URLPreviewResult, Response) {
        switch outcome {
        case .preview(let preview):
            (.preview, Response(status: 200, headers: [("Content-Type", "application/json")], body: preview.json))
        case .none(let refusal): (.none(refusal), Response(status: 200, json: ["preview": .null, "reason": .string(refusal.reason)]))
        case .busy: (.busy, busy)
        }
    }

    static func expectation(_ problem: WebURL.Problem) -> String {
        switch problem {
        case .tooLong: "it has more than \(WebURL.longest) bytes"
        case .scheme: "it must begin with http:// or https://"
        case .malformed: "it is not a complete http or https URL; give it as in the message"
        case .credentials: "it has a user name or a password"
        }
    }

    static let description = RouteDescription(
        "A preview of the page at a URL.",
        text:
            "The answer is the `data` of the message that shows the preview. Only `text/html` at public addresses is fetched, at ports 80 and 443.",
        body: RouteDescription.Body(
            schema, form: schema,
            example: .object(JSONObject(CallDescription.exampleCredentials + [("url", "https://example.com/")]))),
        answers: [
            RouteDescription.Answer(
                200, text: "The preview, or null and why there is none.",
                schema: [
                    "anyOf": [
                        Schema.object([
                            ("type", Schema.choice(["SENDBIRD_DESK_URL_PREVIEW"])),
                            (
                                "body",
                                Schema.object(["url", "site_name", "title", "description", "image"].map { ($0, Schema.text) })
                            ),
                        ]),
                        Schema.object([("preview", ["type": "null"]), ("reason", Schema.choice(PreviewRefusal.allReasons))]),
                    ]
                ]), CallDescription.malformed, CallDescription.denied,
            RouteDescription.Answer(404, text: "The app has no URL previews (`off`)."),
            RouteDescription.Answer(429, text: "The person has requested too many previews.", headers: ["Retry-After"]),
            CallDescription.undecided,
        ])

    private static let schema = Schema.object(
        CallDescription.credentials + [
            ("url", CallDescription.described(Schema.line(1...WebURL.longest), "The first http or https URL of a message."))
        ])
}
