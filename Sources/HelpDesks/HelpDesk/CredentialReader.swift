internal import Core
package import HTTPServer
internal import JSON

/// Reads app_id, user_id and security_key from a request's body, JSON or form, without copying or allocating.
package struct CredentialReader: Sendable {
    /// Makes a reader.
    package init() {}

    // In the order of `CredentialField.allCases`.
    private let form = FormDecoder<3>(wanting: ["app_id", "user_id", "security_key"])

    /// Lends the three fields to `use`, as the bytes that arrived; they are valid UTF-8 and nothing else is known of them.
    package func withCredentials<Result>(
        of request: borrowing Request, _ use: (_ appID: Span<UInt8>, _ userID: Span<UInt8>, _ securityKey: Span<UInt8>) -> Result
    ) throws(UnreadableBody) -> Result {
        switch BodyFormat(of: request) {
        case .json: try request.withBody { body throws(UnreadableBody) in try Self.readJSON(body, use) }
        case .form: try request.withMutableBody { body throws(UnreadableBody) in try readForm(&body, use) }
        }
    }

    private static func readJSON<Result>(
        _ body: Span<UInt8>, _ use: (Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Result
    ) throws(UnreadableBody) -> Result {
        if let plain = PlainObject(body), let appID = plain.value(of: "app_id", in: body),
            let userID = plain.value(of: "user_id", in: body),
            let securityKey = plain.value(of: "security_key", in: body)
        {
            return use(body.extracting(appID), body.extracting(userID), body.extracting(securityKey))
        }
        let root = try parse(body)
        do throws(JSONFieldError) {
            return try root.withString("app_id") { appID throws(JSONFieldError) in
                try root.withString("user_id") { userID throws(JSONFieldError) in
                    try root.withString("security_key") { securityKey in use(appID, userID, securityKey) }
                }
            }
        } catch {
            throw UnreadableBody(error)
        }
    }

    private static func parse(_ body: Span<UInt8>) throws(UnreadableBody) -> JSONElement {
        do throws(JSONError) {
            return try JSONElement(parsing: body)
        } catch {
            throw .invalidJSON(error)
        }
    }

    private func readForm<Result>(
        _ body: inout MutableSpan<UInt8>, _ use: (Span<UInt8>, Span<UInt8>, Span<UInt8>) -> Result
    ) throws(UnreadableBody) -> Result {
        do throws(FormError) {
            let fields = try form.decode(&body)
            let (appID, userID, securityKey) = (try fields.range(at: 0), try fields.range(at: 1), try fields.range(at: 2))
            let bytes = body.span
            return use(bytes.extracting(appID), bytes.extracting(userID), bytes.extracting(securityKey))
        } catch {
            throw UnreadableBody(error)
        }
    }
}
