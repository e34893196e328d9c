package import JSON

extension Response {
    /// Makes a response with a JSON body; its `Content-Type` comes before the other headers.
    package convenience init(status: Int, json: JSONValue, headers: [(name: String, value: String)] = []) {
        self.init(status: status, headers: [("Content-Type", "application/json")] + headers, body: json.serialized())
    }

    /// Makes an error response: `{"error":"<code>","message":"<message>"}`.
    /// - Parameters:
    ///     - code: a stable identifier, for programs.
    ///     - message: a sentence for people.
    package static func error(
        _ status: Int, code: String, message: String, headers: [(name: String, value: String)] = []
    ) -> Response {
        Response(status: status, json: .error(code, message), headers: headers)
    }
}

extension JSONValue {
    /// The body of every error response: `{"error":"<code>","message":"<message>"}`.
    package static func error(_ code: String, _ message: String) -> JSONValue {
        ["error": .string(code), "message": .string(message)]
    }
}
