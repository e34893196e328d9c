internal import HTTPServer
internal import JSON

extension Response {
    /// A response with a JSON body.
    convenience init(status: Int, json: JSONValue, headers: [(name: String, value: String)] = []) {
        self.init(status: status, headers: [("Content-Type", "application/json")] + headers, body: json.serialized())
    }

    /// `{"error":"<code>","message":"<for people>"}`.
    static func error(_ status: Int, _ code: String, _ message: String, headers: [(name: String, value: String)] = []) -> Response {
        Response(status: status, json: ["error": .string(code), "message": .string(message)], headers: headers)
    }
}
