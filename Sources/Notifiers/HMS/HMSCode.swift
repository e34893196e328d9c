internal import JSON

/// What HMS says in the body of every answer (Huawei, "Result codes"): `{"code":"80000000","msg":"Success","requestId":"…"}`.
enum HMSCode: String, Sendable, CaseIterable {
    case success = "80000000"
    case partialSuccess = "80100000"
    case invalidParameter = "80100001"
    case invalidMessage = "80100003"
    case invalidTTL = "80100004"
    case authenticationFailed = "80200001"
    case accessTokenExpired = "80200003"
    case noPermission = "80300002"
    case invalidToken = "80300007"
    case messageTooLong = "80300008"
    case tooManyTokens = "80300010"
    case internalError = "81000001"

    /// Reads an answer's body; nil when it is no JSON object or has no known code.
    init?(body: [UInt8]) {
        guard let code = JSONValue(parsing: body)?["code"] else { return nil }
        switch code {
        case .string(let text): self.init(rawValue: text)
        case .integer(let number): self.init(rawValue: "\(number)")
        default: return nil
        }
    }

    /// The code as it stands in metrics and before people.
    var word: String { "hms_\(rawValue)" }
}
