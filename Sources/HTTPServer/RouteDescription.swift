package import JSON

/// The parameters and answers of one method of a route, as data: the OpenAPI document is generated from it.
///
/// Answers that the server gives on every route, such as 413 and 503, are not repeated here.
package struct RouteDescription: Sendable {
    package struct Parameter: Sendable {
        /// The part of the request that has it, as OpenAPI names it.
        package enum Place: String, Sendable {
            case path, query, header
        }

        package let name: String
        /// The part of the request that has it.
        package let place: Place
        package let schema: JSONValue
        /// Whether the request is refused without it.
        package let isRequired: Bool
        package let text: String
        /// A value that is right; nil for none.
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
        /// The schema of a form; nil where none is accepted.
        package let form: JSONValue?
        /// A body that is right, without secrets; nil for none.
        package let example: JSONValue?

        package init(_ schema: JSONValue, form: JSONValue? = nil, example: JSONValue? = nil) {
            self.schema = schema
            self.form = form
            self.example = example
        }
    }

    /// A request that uses a member of an answer, such as an id.
    package struct Link: Sendable {
        package let method: Method
        package let path: StaticString
        /// Runtime expressions of OpenAPI for parameters outside the body, by name.
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
        /// The JSON Schema of its body; that of every error by default.
        package let schema: JSONValue
        package let mediaType: String
        /// The headers that it always has beyond `X-Request-Id` and the usual ones.
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
        /// An admin token of this role where the configuration requires one.
        case tokenIfRequired(role: String)
    }

    /// One sentence.
    package let summary: String
    /// Further information in Markdown; empty for none.
    package let text: String
    package let access: Access
    package let parameters: [Parameter]
    /// The body; nil for none.
    package let body: Body?
    /// The answers, each with a status of its own.
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

/// The JSON Schemas that descriptions are made of.
package enum Schema {
    /// Any whole number of 64 bits.
    package static let integer: JSONValue = ["type": "integer", "format": "int64"]
    package static let text: JSONValue = ["type": "string"]
    /// An RFC 3339 time.
    package static let time: JSONValue = ["type": "string", "format": "date-time"]
    package static let any: JSONValue = [:]

    /// A text of so many characters, none of them a control character.
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

    /// One of the words of a type, so that no case lacks a description.
    package static func choice<Words: CaseIterable & RawRepresentable<String>>(of type: Words.Type) -> JSONValue {
        choice(type.allCases.map(\.rawValue))
    }

    package static func array(_ element: JSONValue) -> JSONValue { ["type": "array", "items": element] }

    package static func nullable(_ schema: JSONValue) -> JSONValue { ["anyOf": [schema, ["type": "null"]]] }

    /// An object with these members, and maybe others.
    /// - Parameter required: the members that are always there; all by default.
    package static func object(_ members: [(String, JSONValue)], required: [String]? = nil) -> JSONValue {
        let names = required ?? members.map(\.0)
        var object = JSONObject([("type", "object"), ("properties", .object(JSONObject(members)))])
        if !names.isEmpty { object.append(.array(names.map { .string($0) }), forKey: "required") }
        return .object(object)
    }

    /// The answer `{"status": …}` with this word.
    package static func status(_ word: String) -> JSONValue { object([("status", choice([word]))]) }

    /// The answer `{"status": …}` with one of the words of a type.
    package static func status<Words: CaseIterable & RawRepresentable<String>>(of type: Words.Type) -> JSONValue {
        object([("status", choice(of: type))])
    }
}
