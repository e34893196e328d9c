internal import Core
internal import HTTPServer
internal import JSON
internal import Notifiers

/// The requests that Deskgate sends: the events for a notifier of the type `http`.
extension OpenAPIDocument {
    /// The member `webhooks`, by the types of events.
    static var webhooks: JSONValue {
        .object(JSONObject(EventDescription.all.map { ($0.kind.rawValue, ["post": operation($0)]) }))
    }

    private static func operation(_ event: EventDescription) -> JSONValue {
        var content: JSONObject = ["schema": event.schema]
        if let delivery = EventSample.delivery(event.kind), let example = JSONValue(parsing: EventBody.bytes(of: delivery)) {
            content.append(example, forKey: "example")
        }
        return [
            "operationId": .string("event_" + event.kind.rawValue.map { $0 == "." ? "_" : $0 }), "summary": .string(summary(event)),
            "security": [], "parameters": .array(headers),
            "requestBody": ["required": true, "content": ["application/json": .object(content)]],
            "responses": [
                "2XX": ["description": "The event is accepted, and not sent again."],
                "410": ["description": "The receiver accepts no more events; the notifier is paused."],
                "default": ["description": "The event is sent again later, after Retry-After if there is one, until it expires."],
            ],
        ]
    }

    private static func summary(_ event: EventDescription) -> String {
        event.summary.prefix(1).uppercased() + event.summary.dropFirst() + "."
    }

    private static let headers: [JSONValue] = [
        header("webhook-id", text: "The id of the delivery, the same on every attempt.", schema: ["type": "string", "format": "uuid"]),
        header("webhook-timestamp", text: "The time of the attempt in Unix seconds.", schema: ["type": "string", "pattern": "^[0-9]+$"]),
        header(
            "webhook-signature",
            text: "`v1,` and the base64 of an HMAC-SHA-256 over `id.timestamp.body`, for each secret of the notifier, separated by spaces.",
            schema: Schema.text),
        header(
            "traceparent", text: "The attempt in the trace of the request that caused the event.", schema: Schema.text, isRequired: false),
    ]

    private static func header(_ name: String, text: String, schema: JSONValue, isRequired: Bool = true) -> JSONValue {
        ["name": .string(name), "in": "header", "required": .bool(isRequired), "description": .string(text), "schema": schema]
    }
}
