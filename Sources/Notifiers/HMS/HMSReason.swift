internal import JSON

/// The code in the body of every response of HMS (Huawei, "Result codes"): `{"code":"80000000","msg":"Success","requestId":"…"}`.
enum HMSCode: String, Sendable, CaseIterable {
    case success = "80000000"
    case partialSuccess = "80100000"
    case invalidParameter = "80100001"
    case invalidMessage = "80100003"
    case invalidTTL = "80100004"
    case invalidCollapseKey = "80100013"
    case sensitiveContent = "80100016"
    /// The content differs from what a third party has reviewed.
    case contentNotReviewed = "80100018"
    case authenticationFailed = "80200001"
    case accessTokenExpired = "80200003"
    case noPermission = "80300002"
    case invalidToken = "80300007"
    case messageTooLong = "80300008"
    case tooManyTokens = "80300010"
    case noPermissionForHighLevel = "80300011"
    /// The URL for receipts in AppGallery Connect cannot be reached, or its certificate has expired.
    case wrongReceiptAddress = "80300013"
    /// Huawei's token server rejects the client's id and secret.
    case credentialRefused = "80600003"
    case internalError = "81000001"

    /// The code in a response's body; nil when the body is not a JSON object or has no code of eight digits.
    static func number(in body: [UInt8]) -> String? {
        let code = JSONValue(parsing: body)?["code"]
        let number = code?.text ?? code?.integer.map { "\($0)" } ?? ""
        return number.utf8.count == 8 && number.utf8.allSatisfy { 48...57 ~= $0 } ? number : nil
    }

    /// Whether a code, known or unknown, reports a fault in the request.
    static func blamesRequest(_ number: String) -> Bool { number.hasPrefix("801") }

    /// A code in metrics, logs and the admin interface, such as `hms_80300002`.
    static func word(_ number: String) -> String { "hms_\(number)" }

    /// The operator's remedy when this code pauses the notifier.
    var remedy: HMSRemedy {
        switch self {
        case .noPermission: .pushKit
        case .noPermissionForHighLevel: .permission
        case .wrongReceiptAddress: .receipts
        case .invalidToken: .otherApp
        case .authenticationFailed, .accessTokenExpired, .credentialRefused: .credential
        case .success, .invalidParameter, .invalidMessage, .invalidTTL, .invalidCollapseKey, .sensitiveContent, .contentNotReviewed,
            .messageTooLong, .tooManyTokens, .internalError, .partialSuccess:
            .credential
        }
    }
}

/// The result in a response with the code 80100000. Its `msg` is a string that contains JSON:
/// `{"success":1,"failure":1,"illegal_tokens":["…"]}`.
struct HMSPartialSuccess {
    /// The invalid tokens.
    let illegalTokens: [String]
    /// The number of tokens that received the message; 0 when the response does not contain it.
    let successes: Int64

    /// Parses a response's body; nil when it has no list of tokens.
    init?(body: [UInt8]) {
        guard let text = JSONValue(parsing: body)?["msg"]?.text, let result = JSONValue(parsing: Array(text.utf8)),
            case .array(let tokens)? = result["illegal_tokens"]
        else { return nil }
        illegalTokens = tokens.compactMap(\.text)
        successes = result["success"]?.integer ?? 0
    }
}

/// The operator's remedies for HMS' responses, worded as ends of sentences.
enum HMSRemedy: String, CaseIterable, ProviderRemedy {
    case credential = #"check "app_id" and "secret": AppGallery Connect shows both in the project's settings"#
    case otherApp =
        #"many devices belong to another app: check "app_id", and that "routes" lead the devices of each app to their own notifier"#
    case permission = "apply for the missing permission in AppGallery Connect, under Push Kit"
    case pushKit = #"enable Push Kit for the app in AppGallery Connect, and check "app_id""#
    case receipts = "check the address for receipts in AppGallery Connect, under Push Kit, and its certificate"

    static let byReason: [String: HMSRemedy] = {
        var remedies: [String: HMSRemedy] = [
            StatusReason.word(401): .credential, StatusReason.word(403): .credential, StatusReason.word(404): .credential,
            NotifierReason.requestCannotBeMade.rawValue: .credential,
        ]
        for code in HMSCode.allCases { remedies[HMSCode.word(code.rawValue)] = code.remedy }
        for error in TokenError.allCases { remedies[TokenReason.error(error).word] = .credential }
        return remedies
    }()

    var russian: String {
        switch self {
        case .credential: #"проверьте "app_id" и "secret": AppGallery Connect показывает их в настройках проекта"#
        case .otherApp:
            #"если устройств много, они от другого приложения: проверьте "app_id" и то, что "routes" ведут устройства каждого приложения к своему каналу"#
        case .permission: #"запросите недостающее разрешение в AppGallery Connect, раздел Push Kit"#
        case .pushKit: #"включите Push Kit для приложения в AppGallery Connect и проверьте "app_id""#
        case .receipts: #"проверьте адрес для отчётов о доставке в AppGallery Connect, раздел Push Kit, и его сертификат"#
        }
    }
}
