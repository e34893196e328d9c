/// The reason for a rejection (Apple, "Handling notification responses from APNs").
enum APNsReason: String, Sendable, CaseIterable {
    case badCollapseID = "BadCollapseId"
    case badDeviceToken = "BadDeviceToken"
    case badExpirationDate = "BadExpirationDate"
    case badMessageID = "BadMessageId"
    case badPriority = "BadPriority"
    case badTopic = "BadTopic"
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    case duplicateHeaders = "DuplicateHeaders"
    case idleTimeout = "IdleTimeout"
    case invalidPushType = "InvalidPushType"
    case missingDeviceToken = "MissingDeviceToken"
    case missingTopic = "MissingTopic"
    case payloadEmpty = "PayloadEmpty"
    case topicDisallowed = "TopicDisallowed"
    case badCertificate = "BadCertificate"
    case badCertificateEnvironment = "BadCertificateEnvironment"
    case badEnvironmentKeyIDInToken = "BadEnvironmentKeyIdInToken"
    case badEnvironmentKeyInToken = "BadEnvironmentKeyInToken"
    case expiredProviderToken = "ExpiredProviderToken"
    case forbidden = "Forbidden"
    case invalidProviderToken = "InvalidProviderToken"
    case missingProviderToken = "MissingProviderToken"
    case unrelatedKeyIDInToken = "UnrelatedKeyIdInToken"
    case badPath = "BadPath"
    case methodNotAllowed = "MethodNotAllowed"
    case expiredToken = "ExpiredToken"
    case unregistered = "Unregistered"
    case payloadTooLarge = "PayloadTooLarge"
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    case tooManyRequests = "TooManyRequests"
    case internalServerError = "InternalServerError"
    case serviceUnavailable = "ServiceUnavailable"
    case shutdown = "Shutdown"

    /// The reason in metrics, logs and the admin interface, such as `bad_device_token`.
    var word: String {
        var word = ""
        for letter in rawValue {
            if letter.isUppercase, !word.isEmpty { word += "_" }
            word += letter.lowercased()
        }
        return word
    }

    /// The operator's remedy when this reason pauses the notifier, as every reason does with status 403.
    var remedy: APNsRemedy {
        switch self {
        case .badTopic, .missingTopic, .topicDisallowed: .topic
        case .deviceTokenNotForTopic: .otherApp
        case .badCertificate, .badCertificateEnvironment: .certificate
        case .expiredProviderToken: .clock
        case .badEnvironmentKeyIDInToken, .badEnvironmentKeyInToken, .unrelatedKeyIDInToken: .keyLimits
        case .forbidden, .invalidProviderToken, .missingProviderToken: .credential
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .idleTimeout,
            .invalidPushType, .missingDeviceToken, .payloadEmpty, .badPath, .methodNotAllowed, .expiredToken, .unregistered,
            .payloadTooLarge, .tooManyProviderTokenUpdates, .tooManyRequests, .internalServerError, .serviceUnavailable, .shutdown:
            .credential
        }
    }
}

/// The operator's remedies for APNs' responses, worded as ends of sentences.
enum APNsRemedy: String, CaseIterable, ProviderRemedy {
    case address = #"check "url", "sandbox_url" and "proxy": the server there is not APNs"#
    case certificate = #"check "certificate": it must be of this app, and not have expired"#
    case clock = "check this machine's clock"
    case credential = #"check "key", "key_id" and "team_id": all three must be of one key that Apple has not revoked"#
    case keyLimits = #"check "key_id": this key is of another team, or limited to another environment or topic"#
    case otherApp =
        #"many devices belong to another app: check "topic", and that "routes" lead the devices of each app to their own notifier"#
    case topic = #"check "topic": the app's bundle identifier, which the key or the certificate must be allowed to send to"#

    static let byReason: [String: APNsRemedy] = {
        var remedies: [String: APNsRemedy] = [
            StatusReason.word(403): .credential, StatusReason.word(404): .address, StatusReason.word(405): .address,
            NotifierReason.requestCannotBeMade.rawValue: .credential,
        ]
        for reason in APNsReason.allCases { remedies[reason.word] = reason.remedy }
        return remedies
    }()

    var russian: String {
        switch self {
        case .address: #"проверьте "url", "sandbox_url" и "proxy": по этому адресу отвечает не APNs"#
        case .certificate: #"проверьте "certificate": он должен быть от этого приложения и не должен быть просрочен"#
        case .clock: #"проверьте часы этой машины"#
        case .credential: #"проверьте "key", "key_id" и "team_id": все три должны относиться к одному ключу, который Apple не отозвала"#
        case .keyLimits: #"проверьте "key_id": этот ключ другой команды или ограничен другой средой или темой"#
        case .otherApp:
            #"если устройств много, они от другого приложения: проверьте "topic" и то, что "routes" ведут устройства каждого приложения к своему каналу"#
        case .topic:
            #"проверьте "topic": это идентификатор приложения в App Store, и ключу или сертификату должно быть разрешено ему отправлять"#
        }
    }
}
