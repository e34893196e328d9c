/// The code of a rejection (Firebase, "ErrorCode"; Google, "google.rpc.Code").
enum FCMErrorCode: String, Sendable, CaseIterable {
    case unregistered = "UNREGISTERED"
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    case invalidArgument = "INVALID_ARGUMENT"
    case thirdPartyAuthError = "THIRD_PARTY_AUTH_ERROR"
    case unauthenticated = "UNAUTHENTICATED"
    case quotaExceeded = "QUOTA_EXCEEDED"
    case `internal` = "INTERNAL"
    case unavailable = "UNAVAILABLE"
    // Statuses without an error code, of requests that were rejected before they reached FCM.
    case notFound = "NOT_FOUND"
    case permissionDenied = "PERMISSION_DENIED"
    case resourceExhausted = "RESOURCE_EXHAUSTED"
    /// RuStore's code for an exceeded quota.
    case tooManyRequests = "TOO_MANY_REQUESTS"

    /// The code in metrics, logs and the admin interface, such as `permission_denied`.
    var word: String { rawValue.lowercased() }

    /// The operator's remedy when FCM pauses the notifier with this code, as most codes do with a status of 401, 403 or 404.
    var remedy: FCMRemedy {
        switch self {
        case .senderIDMismatch: .otherProject
        case .permissionDenied: .permission
        case .notFound: .project
        case .unregistered, .invalidArgument, .thirdPartyAuthError, .unauthenticated, .quotaExceeded, .internal, .unavailable,
            .resourceExhausted, .tooManyRequests:
            .account
        }
    }
}

/// The operator's remedies for the responses of FCM and of Google's token server, worded as ends of sentences.
enum FCMRemedy: String, CaseIterable, ProviderRemedy {
    case account = #"check "service_account": make a new key in the Firebase console under Project settings, Service accounts"#
    case key = "check that the service account's key has not been deleted, and this machine's clock; create a new key if necessary"
    case otherPlatform = "give Firebase the credentials of the other platform, under Project settings, Cloud Messaging"
    case otherProject =
        #"many devices belong to another project: check "service_account", and that "routes" lead the devices of each app to their own notifier"#
    case permission = "let the service account send messages: it needs the role Firebase Cloud Messaging API Admin, and the API enabled"
    case project = #"check "service_account" and "url": there is no such project"#

    /// The remedy when the token server rejects the service account with this error.
    init(_ error: TokenError) {
        switch error {
        case .invalidGrant: self = .key
        case .invalidRequest, .invalidClient, .unauthorizedClient, .unsupportedGrantType, .invalidScope, .accessDenied, .deletedClient,
            .disabledClient, .orgInternal:
            self = .account
        }
    }

    static let byReason: [String: FCMRemedy] = {
        var remedies: [String: FCMRemedy] = [
            StatusReason.word(401): .account, StatusReason.word(403): .permission, StatusReason.word(404): .project,
            NotifierReason.misconfiguredForDeviceType.rawValue: .otherPlatform, NotifierReason.requestCannotBeMade.rawValue: .account,
        ]
        for code in FCMErrorCode.allCases { remedies[code.word] = code.remedy }
        for error in TokenError.allCases { remedies[TokenReason.error(error).word] = FCMRemedy(error) }
        return remedies
    }()

    var russian: String {
        switch self {
        case .account: #"проверьте "service_account": новый ключ создаётся в консоли Firebase, Project settings, Service accounts"#
        case .key: #"проверьте, не удалён ли ключ сервисного аккаунта и верны ли часы этой машины; если нужно, создайте новый ключ"#
        case .otherPlatform: #"задайте в Firebase ключи другой платформы: Project settings, Cloud Messaging"#
        case .otherProject:
            #"если устройств много, они от другого проекта: проверьте "service_account" и то, что "routes" ведут устройства каждого приложения к своему каналу"#
        case .permission:
            #"разрешите сервисному аккаунту отправлять сообщения: нужны роль Firebase Cloud Messaging API Admin и включённый API"#
        case .project: #"проверьте "service_account" и "url": такого проекта нет"#
        }
    }
}
