package import JSON

/// The parameters and responses of one method of a route, as data from which the OpenAPI document is generated.
///
/// Responses that the server gives on every route, such as 413 and 503, are not repeated here.
package struct RouteDescription: Sendable {
    package struct Parameter: Sendable {
        /// The part of a request that contains the parameter, in OpenAPI's words.
        package enum Place: String, Sendable {
            case path, query, header
        }

        package let name: String
        /// The part of the request that contains the parameter.
        package let place: Place
        package let schema: JSONValue
        /// Whether a request without the parameter is rejected.
        package let isRequired: Bool
        package let text: String
        /// A valid value; nil for none.
        package let example: JSONValue?

        package init(
            _ name: String, place: Place, schema: JSONValue, isRequired: Bool = true, text: String, example: JSONValue? = nil
        ) {
            self.example = example
            self.name = name
            self.place = place
            self.schema = schema
            self.isRequired = isRequired
            self.text = text
        }
    }

    package struct Body: Sendable {
        package let schema: JSONValue
        /// The schema of a form body; nil where a form is not accepted.
        package let form: JSONValue?
        /// A valid body, without secrets; nil for none.
        package let example: JSONValue?

        package init(_ schema: JSONValue, form: JSONValue? = nil, example: JSONValue? = nil) {
            self.schema = schema
            self.form = form
            self.example = example
        }
    }

    /// A request that uses a member of a response, such as an id.
    package struct Link: Sendable {
        package let method: Method
        package let path: StaticString
        /// Runtime expressions of OpenAPI for the parameters outside the body, by name.
        package let parameters: [String: String]
        /// Runtime expressions for the members of the body, by name; none for a request without a body.
        package let body: [String: String]

        package init(_ method: Method, path: StaticString, parameters: [String: String] = [:], body: [String: String] = [:]) {
            (self.method, self.path, self.parameters, self.body) = (method, path, parameters, body)
        }
    }

    package struct Answer: Sendable {
        package let status: Int
        package let text: String
        /// The JSON Schema of the response's body; by default that of every error.
        package let schema: JSONValue
        package let mediaType: String
        /// The headers of every such response, without `X-Request-Id` and the standard ones.
        package let headers: [String]
        package let links: [Link]

        package init(
            _ status: Int, text: String, schema: JSONValue = ["$ref": "#/components/schemas/Error"],
            mediaType: String = "application/json", headers: [String] = [], links: [Link] = []
        ) {
            self.links = links
            self.status = status
            self.text = text
            self.schema = schema
            self.mediaType = mediaType
            self.headers = headers
        }
    }

    package enum Access: Sendable, Equatable {
        case anyone
        case token(role: String)
        /// The role that an admin token needs where the configuration requires one.
        case tokenIfRequired(role: String)
    }

    /// One sentence.
    package let summary: String
    /// Further information in Markdown; empty for none.
    package let text: String
    package let access: Access
    package let parameters: [Parameter]
    /// The request's body; nil for none.
    package let body: Body?
    /// The responses, each with a different status.
    package let answers: [Answer]

    package init(
        _ summary: String, text: String = "", access: Access = .anyone, parameters: [Parameter] = [], body: Body? = nil, answers: [Answer]
    ) {
        self.summary = summary
        self.text = text
        self.access = access
        self.parameters = parameters
        self.body = body
        self.answers = answers
    }
}

/// Builds the JSON Schemas of descriptions.
package enum Schema {
    /// Any 64-bit integer.
    package static let integer: JSONValue = ["type": "integer", "format": "int64"]
    package static let text: JSONValue = ["type": "string"]
    /// An RFC 3339 time.
    package static let time: JSONValue = ["type": "string", "format": "date-time"]
    package static let any: JSONValue = [:]

    /// A string of at most this many characters, without control characters.
    package static func line(_ length: ClosedRange<Int>) -> JSONValue {
        [
            "type": "string", "minLength": .integer(Int64(length.lowerBound)), "maxLength": .integer(Int64(length.upperBound)),
            "pattern": #"^[^\u0000-\u001F\u007F]*$"#,
        ]
    }

    package static func integer(_ range: ClosedRange<Int64>) -> JSONValue {
        ["type": "integer", "format": "int64", "minimum": .integer(range.lowerBound), "maximum": .integer(range.upperBound)]
    }

    package static func choice(_ words: [String]) -> JSONValue {
        ["type": "string", "enum": .array(words.map { .string($0) })]
    }

    /// One of the cases of a type, so that each has a description.
    package static func choice<Words: CaseIterable & RawRepresentable<String>>(of type: Words.Type) -> JSONValue {
        choice(type.allCases.map(\.rawValue))
    }

    package static func array(_ element: JSONValue) -> JSONValue { ["type": "array", "items": element] }

    package static func nullable(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }

    /// An object with these members, and possibly others.
    /// - Parameter required: the members that are always present; all by default.
    package static func object(_ members: [(String, JSONValue)], required: [String]? = nil) -> JSONValue {
        let names = required ?? members.map(\.0)
        var object = JSONObject([("type", "object"), ("properties", .object(JSONObject(members)))])
        if !names.isEmpty { object.append(.array(names.map { .string($0) }), forKey: "required") }
        return .object(object)
    }

    /// The response `{"status": …}` with this word.
    package static func status(_ word: String) -> JSONValue { object([("status", choice([word]))]) }

    /// The response `{"status": …}` with one of the cases of a type.
    package static func status<Words: CaseIterable & RawRepresentable<String>>(of type: Words.Type) -> JSONValue {
        object([("status", choice(of: type))])
    }
}
