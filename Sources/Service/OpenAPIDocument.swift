internal import HTTPServer
internal import JSON
internal import Synchronization
internal import Threading

/// The description of both listeners as OpenAPI 3.1, generated from the served routes; `docs/openapi.json` is a copy of it.
final class OpenAPIDocument: Sendable {
    private let listeners = Monitor<[(tag: String, text: String, url: String, routes: [Route])]>([])
    private let rendered = Monitor<Response?>(nil)

    /// Sets the described routers, before anything is served.
    func describe(publicListener: Router, adminListener: Router) {
        listeners.withLock {
            $0 = [
                ("public", "The listener for help desks and devices.", "http://127.0.0.1:8080", publicListener.routes),
                ("admin", "The listener for operators and backends.", "http://127.0.0.1:9090", adminListener.routes),
            ]
        }
    }

    /// The answer of `GET /openapi.json`, built for the first request.
    var response: Response {
        rendered.withLock { rendered in
            if let rendered { return rendered }
            let made = Response(status: 200, json: json)
            rendered = made
            return made
        }
    }

    private var json: JSONValue {
        let listeners = listeners.withLock { $0 }
        var paths = JSONObject()
        for listener in listeners {
            for route in listener.routes { paths.append(Self.item(route, tag: listener.tag, url: listener.url), forKey: Self.path(route)) }
        }
        return [
            "openapi": "3.1.0",
            "info": ["title": "Deskgate", "version": .string(Version.current), "description": .string(Self.text)],
            "servers": .array(listeners.map { ["url": .string($0.url), "description": .string($0.text)] }),
            "tags": .array(listeners.map { ["name": .string($0.tag), "description": .string($0.text)] }),
            "paths": .object(paths), "webhooks": Self.webhooks, "components": Self.components,
        ]
    }

    private static let text = """
        Every request that Deskgate accepts, and as webhooks the events that it sends to notifiers of the type `http`. Each path has the
        address of its listener by default; the configuration may give others. A path without a description is answered 404, and a method
        that a path does not have 405 with Allow. HEAD is answered wherever GET is. Errors are `{"error", "message"}`, and every answer
        but 408, 414 and 431 has `X-Request-Id`.
        """

    /// `/v1/deliveries/:id` is `/v1/deliveries/{id}` in OpenAPI.
    private static func path(_ route: Route) -> String {
        let segments = "\(route.path)".split(separator: "/").map { "/" + ($0.first == ":" ? "{\($0.dropFirst())}" : $0) }
        return segments.isEmpty ? "/" : segments.joined()
    }

    private static func item(_ route: Route, tag: String, url: String) -> JSONValue {
        var item: JSONObject = ["servers": [["url": .string(url)]]]
        for (method, _) in route.handlers {
            guard let description = route.descriptions[method] else { continue }
            item.append(operation(description, id: operationID(method, route.path), tag), forKey: method.token.lowercased())
        }
        return .object(item)
    }

    private static func operationID(_ method: HTTPServer.Method, _ path: StaticString) -> String {
        String("\(method.token.lowercased())\(path)".map { $0.isLetter || $0.isNumber ? $0 : "_" })
    }

    private static func operation(_ description: RouteDescription, id: String, _ tag: String) -> JSONValue {
        var operation: JSONObject = [
            "operationId": .string(id), "tags": [.string(tag)], "summary": .string(description.summary),
        ]
        if !description.text.isEmpty { operation.append(.string(description.text), forKey: "description") }
        operation.append(security(description.access), forKey: "security")
        if !description.parameters.isEmpty { operation.append(.array(description.parameters.map(parameter)), forKey: "parameters") }
        if let body = description.body { operation.append(self.body(body), forKey: "requestBody") }
        operation.append(.object(responses(description.answers)), forKey: "responses")
        return .object(operation)
    }

    private static func security(_ access: RouteDescription.Access) -> JSONValue {
        switch access {
        case .anyone: []
        case .token(let role): [["adminToken": [.string(role)]]]
        case .tokenIfRequired(let role): [[:], ["adminToken": [.string(role)]]]
        }
    }

    private static func parameter(_ parameter: RouteDescription.Parameter) -> JSONValue {
        var object: JSONObject = [
            "name": .string(parameter.name), "in": .string(parameter.place.rawValue), "required": .bool(parameter.isRequired),
            "description": .string(parameter.text), "schema": parameter.schema,
        ]
        if let example = parameter.example { object.append(example, forKey: "example") }
        return .object(object)
    }

    private static func body(_ body: RouteDescription.Body) -> JSONValue {
        func content(_ schema: JSONValue) -> JSONValue {
            var content: JSONObject = ["schema": schema]
            if let example = body.example { content.append(example, forKey: "example") }
            return .object(content)
        }
        var contents: JSONObject = ["application/json": content(body.schema)]
        if let form = body.form { contents.append(content(form), forKey: "application/x-www-form-urlencoded") }
        return ["required": true, "content": .object(contents)]
    }

    /// The responses of a route and the server's own responses on every route, by status.
    private static func responses(_ answers: [RouteDescription.Answer]) -> JSONObject {
        let own = Set(answers.map(\.status))
        let others = common.filter { !own.contains($0.status) }
        let all =
            answers.map { ($0.status, response($0)) } + others.map { ($0.status, ["$ref": .string("#/components/responses/\($0.name)")]) }
        return JSONObject(all.sorted { $0.0 < $1.0 }.map { ("\($0.0)", $0.1) })
    }

    private static func response(_ answer: RouteDescription.Answer) -> JSONValue {
        var headers: JSONObject = ["X-Request-Id": ["$ref": "#/components/headers/X-Request-Id"]]
        for header in answer.headers { headers.append(["$ref": .string("#/components/headers/\(header)")], forKey: header) }
        var response: JSONObject = [
            "description": .string(answer.text), "headers": .object(headers),
            "content": .object(JSONObject([(answer.mediaType, ["schema": answer.schema] as JSONValue)])),
        ]
        if !answer.links.isEmpty {
            let links = answer.links.map { (operationID($0.method, $0.path), link($0)) }
            response.append(.object(JSONObject(links)), forKey: "links")
        }
        return .object(response)
    }

    private static func link(_ link: RouteDescription.Link) -> JSONValue {
        func object(_ expressions: [String: String]) -> JSONValue {
            .object(JSONObject(expressions.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }))
        }
        var described: JSONObject = ["operationId": .string(operationID(link.method, link.path))]
        if !link.parameters.isEmpty { described.append(object(link.parameters), forKey: "parameters") }
        if !link.body.isEmpty { described.append(object(link.body), forKey: "requestBody") }
        return .object(described)
    }
}

extension OpenAPIDocument {
    /// The server's responses on every route. libmicrohttpd itself sends 408 and 431, without JSON.
    private static let common: [(status: Int, name: String, answer: JSONValue)] = [
        (400, "MalformedRequest", response(RouteDescription.Answer(400, text: "The request line, a header or the body is malformed."))),
        (408, "RequestTimeout", ["description": "The request has not arrived in time."]),
        (413, "BodyTooLarge", response(RouteDescription.Answer(413, text: "The body is over the path's limit."))),
        (415, "EncodedBody", response(RouteDescription.Answer(415, text: "The body has a Content-Encoding."))),
        (431, "HeadersTooLarge", ["description": "The request line or the headers are too large."]),
        (
            503, "Unavailable",
            response(RouteDescription.Answer(503, text: "The service cannot answer at the moment.", headers: ["Retry-After"]))
        ),
    ]

    private static let components: JSONValue = [
        "schemas": [
            "Error": Schema.object([
                ("error", ["type": "string", "description": "A stable code, for programs.", "pattern": "^[a-z_0-9]+$"]),
                ("message", ["type": "string", "description": "A sentence for people."]),
            ])
        ],
        "headers": [
            "X-Request-Id": [
                "description": "The request's own id, or a new one; the log has the same.", "required": true,
                "schema": ["type": "string", "pattern": "^[A-Za-z0-9._-]{1,64}$"],
            ],
            "Retry-After": ["description": "Seconds to wait.", "required": true, "schema": ["type": "integer", "minimum": 0]],
            "WWW-Authenticate": ["description": "As RFC 6750 says.", "required": true, "schema": Schema.text],
        ],
        "responses": .object(JSONObject(common.map { ($0.name, $0.answer) })),
        "securitySchemes": [
            "adminToken": [
                "type": "http", "scheme": "bearer",
                "description": .string(
                    "A token of `admin.tokens` with the role that the operation names, or `admin.token`, which has every role. "
                        + "A token of the role `operate` may also read."),
            ]
        ],
    ]
}
