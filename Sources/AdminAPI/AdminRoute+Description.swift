internal import Core
package import HTTPServer
internal import JSON

extension AdminRoute {
    private static let examples: [String: JSONValue] = ["app_id": "my-app", "user_id": "user-1", "query": "user-1"]

    /// Derived, so that a route needs only its entry in the table.
    package var description: RouteDescription {
        RouteDescription(
            summary, access: role.access,
            parameters: parameters.filter { $0.place != .body }.map {
                RouteDescription.Parameter(
                    $0.name, place: $0.place == .path ? .path : .query, schema: $0.schema, isRequired: $0.isRequired, text: $0.text,
                    example: Self.examples[$0.name])
            }, body: body, answers: [success] + refusals)
    }

    private var success: RouteDescription.Answer {
        answer.members.isEmpty
            ? RouteDescription.Answer(answer.status, text: answer.text, schema: Schema.text, mediaType: "text/plain")
            : RouteDescription.Answer(
                answer.status, text: answer.text, schema: AdminSchema.object(answer.members, answer.types), links: answer.links)
    }

    /// The parameters in the body; a body with any other member is rejected.
    private var body: RouteDescription.Body? {
        let members = parameters.filter { $0.place == .body }
        guard !members.isEmpty else { return nil }
        var schema = Schema.object(
            members.map { ($0.name, $0.schema(describedBy: $0.text)) }, required: members.filter(\.isRequired).map(\.name))
        if case .object(var object) = schema {
            object.append(false, forKey: "additionalProperties")
            schema = .object(object)
        }
        return RouteDescription.Body(schema, example: Self.example(of: members))
    }

    /// An example body from the known values; nil when a required one is unknown.
    private static func example(of members: [Parameter]) -> JSONValue? {
        let known = members.filter { examples[$0.name] != nil }
        guard !known.isEmpty, members.allSatisfy({ !$0.isRequired || examples[$0.name] != nil }) else { return nil }
        return .object(JSONObject(known.map { ($0.name, examples[$0.name] ?? .null) }))
    }

    private var refusals: [RouteDescription.Answer] {
        var texts: [Int: String] = [400: "A parameter is missing, unknown, given twice or not as expected, or names nothing that is there."]
        if role != .anyone {
            texts[401] = "The admin token is missing or wrong."
            texts[403] = "The admin token lacks the role."
        }
        if parameters.contains(where: { $0.place == .path }) || answer.refusals.contains(404) { texts[404] = "There is no such thing." }
        if answer.refusals.contains(409) { texts[409] = "Its state does not allow it." }
        if answer.refusals.contains(429) { texts[429] = "The help desk accepts no more requests now." }
        if answer.refusals.contains(503) { texts[503] = "The help desk cannot be asked, or too many wait for it." }
        texts[421] = "The Host header is a name other than localhost, while only this machine reaches the listener."
        return texts.sorted { $0.key < $1.key }.map { status, text in
            let headers = [401: "WWW-Authenticate", 403: "WWW-Authenticate", 429: "Retry-After", 503: "Retry-After"]
            return RouteDescription.Answer(status, text: text, headers: headers[status].map { [$0] } ?? [])
        }
    }
}

extension AdminRoute.Role {
    fileprivate var access: RouteDescription.Access {
        switch self {
        case .anyone: .anyone
        case .scrape: .tokenIfRequired(role: "read")
        case .mint, .read, .operate: .token(role: rawValue)
        }
    }
}

extension AdminRoute.Parameter {
    fileprivate var schema: JSONValue {
        switch kind {
        // A required text must not be empty.
        case .text: isRequired ? ["type": "string", "minLength": 1] : Schema.text
        case .line(let length): Schema.line(length)
        case .matching(let pattern): ["type": "string", "pattern": .string(pattern)]
        case .identity where place == .body: ["anyOf": [Schema.integer, Schema.line(1...HelpDeskID.longest)]]
        case .identity: Schema.line(1...HelpDeskID.longest)
        case .number(let range): Schema.integer(range)
        case .maybeNumber(let range): Schema.nullable(Schema.integer(range))
        case .time: Schema.time
        case .choice(let words): Schema.choice(words)
        case .flag: ["type": "boolean", "const": true]
        case .fields: ["type": "object", "additionalProperties": Schema.text, "maxProperties": .integer(Int64(TicketField.maximumFields))]
        case .lines(let count):
            ["type": "array", "items": Schema.line(1...TicketDraft.longestChannel), "maxItems": .integer(Int64(count.upperBound))]
        }
    }

    fileprivate func schema(describedBy text: String) -> JSONValue {
        guard case .object(var object) = schema else { return schema }
        object.append(.string(text), forKey: "description")
        return .object(object)
    }
}
