internal import JSON

/// What HMS says in the body of every answer (Huawei, "Result codes"): `{"code":"80000000","msg":"Success","requestId":"…"}`.
enum HMSCode: String, Sendable, CaseIterable {
    case success = "80000000"
    case partialSuccess = "80100000"
    case invalidParameter = "80100001"
    case invalidMessage = "80100003"
    case invalidTTL = "80100004"
    case invalidCollapseKey = "80100013"
    case sensitiveContent = "80100016"
    /// A third party has judged another content than this.
    case contentNotReviewed = "80100018"
    case authenticationFailed = "80200001"
    case accessTokenExpired = "80200003"
    case noPermission = "80300002"
    case invalidToken = "80300007"
    case messageTooLong = "80300008"
    case tooManyTokens = "80300010"
    case noPermissionForHighLevel = "80300011"
    /// Where receipts go, as AppGallery Connect has it, cannot be reached or has an expired certificate.
    case wrongReceiptAddress = "80300013"
    /// Huawei's own authorization does not take the client's id and secret.
    case credentialRefused = "80600003"
    case internalError = "81000001"

    /// The number in an answer's body; nil when it is no JSON object, or has none of eight digits.
    static func number(in body: [UInt8]) -> String? {
        let code = JSONValue(parsing: body)?["code"]
        let number = code?.text ?? code?.integer.map { "\($0)" } ?? ""
        return number.utf8.count == 8 && number.utf8.allSatisfy { 48...57 ~= $0 } ? number : nil
    }

    /// The tokens that a partial success names: its `msg` is a text that holds JSON. Nil when there is no list.
    static func illegalTokens(in body: [UInt8]) -> [String]? {
        guard let text = JSONValue(parsing: body)?["msg"]?.text,
            case .array(let tokens)? = JSONValue(parsing: Array(text.utf8))?["illegal_tokens"]
        else { return nil }
        return tokens.compactMap(\.text)
    }

    /// Whether a number says that something is wrong with the request, whatever it is: all of these do.
    static func blamesRequest(_ number: String) -> Bool { number.hasPrefix("801") }

    /// A number as it stands in metrics and before people.
    static func word(_ number: String) -> String { "hms_\(number)" }
}
