package import Core

enum ProviderObjection: CaseIterable {
    /// No objection: the provider accepted the push.
    case none
    /// The token is no longer valid for the device.
    case deviceGone
    /// The token seems to belong to another app or project.
    case otherApp
    case tooMany
    /// No objection to the push: the provider itself failed.
    case failing
    case message
    /// The credential or the settings are wrong.
    case settings
}

extension APNsReason {
    var objection: ProviderObjection {
        switch self {
        case .badDeviceToken, .expiredToken, .unregistered: .deviceGone
        case .deviceTokenNotForTopic: .otherApp
        case .tooManyProviderTokenUpdates, .tooManyRequests: .tooMany
        case .idleTimeout, .internalServerError, .serviceUnavailable, .shutdown: .failing
        case .badCollapseID, .badExpirationDate, .badMessageID, .badPriority, .duplicateHeaders, .invalidPushType, .missingDeviceToken,
            .payloadEmpty, .badPath, .methodNotAllowed, .payloadTooLarge:
            .message
        case .badTopic, .missingTopic, .topicDisallowed, .badCertificate, .badCertificateEnvironment, .badEnvironmentKeyIDInToken,
            .badEnvironmentKeyInToken, .expiredProviderToken, .forbidden, .invalidProviderToken, .missingProviderToken,
            .unrelatedKeyIDInToken:
            .settings
        }
    }
}

extension FCMErrorCode {
    func objection(isRuStore: Bool) -> ProviderObjection {
        switch self {
        case .unregistered: .deviceGone
        case .senderIDMismatch: .otherApp
        case .notFound: isRuStore ? .otherApp : .settings
        case .quotaExceeded, .resourceExhausted, .tooManyRequests: .tooMany
        case .internal, .unavailable: .failing
        case .invalidArgument: .message
        case .thirdPartyAuthError, .unauthenticated, .permissionDenied: .settings
        }
    }
}

extension HMSCode {
    var objection: ProviderObjection {
        switch self {
        case .success: .none
        case .invalidToken: .otherApp
        // A partial success remains as a reason only if the answer contains nothing about the token.
        case .internalError, .partialSuccess: .failing
        case .invalidParameter, .invalidMessage, .invalidTTL, .invalidCollapseKey, .sensitiveContent, .contentNotReviewed, .messageTooLong,
            .tooManyTokens:
            .message
        case .authenticationFailed, .accessTokenExpired, .noPermission, .noPermissionForHighLevel, .wrongReceiptAddress,
            .credentialRefused:
            .settings
        }
    }
}

extension ReasonSource {
    /// Returns a push provider's objection; nil if the reason does not come from the provider.
    fileprivate func objection(_ reason: String) -> ProviderObjection? {
        guard case .push(let provider) = self else { return nil }
        return switch provider {
        case .apns: APNsReason.allCases.first { $0.word == reason }?.objection
        case .fcm: FCMErrorCode.allCases.first { $0.word == reason }?.objection(isRuStore: false)
        case .rustore: FCMErrorCode.allCases.first { $0.word == reason }?.objection(isRuStore: true)
        case .hms: HMSCode.allCases.first { HMSCode.word($0.rawValue) == reason }?.objection
        }
    }

    /// Whether a delivery that ended with this reason has also ended the registration of its device, for example because the app was
    /// removed. A delivery does not end with such a reason while the notifier's settings may be the cause.
    package func endsDevice(_ reason: String) -> Bool {
        guard case .push = self else { return false }
        return reason == NotifierReason.invalidToken.rawValue || [.deviceGone, .otherApp].contains(objection(reason))
    }

    /// Returns the settings to check after a rejection that the settings or one device may have caused: the end of a sentence.
    package func doubtRemedy(_ reason: String) -> LocalizedText {
        settingsRemedy(reason).map { remedy in
            guard remedy.hasPrefix("many devices") || remedy.hasPrefix("если устройств много"), let colon = remedy.firstIndex(of: ":")
            else { return remedy }
            return String(remedy[remedy.index(colon, offsetBy: 2)...])
        }
    }
}

extension ReasonMeaning {
    /// Returns the meaning of a push provider's reason.
    static func ofPush(_ reason: String, _ source: ReasonSource) -> ReasonMeaning? {
        source.objection(reason).map { of($0, reason: reason, source: source) }
    }

    private static func of(_ objection: ProviderObjection, reason: String, source: ReasonSource) -> ReasonMeaning {
        switch objection {
        case .none: ReasonMeaning("the provider accepted it", "провайдер принял", do: nil)
        case .deviceGone:
            ReasonMeaning(
                "the provider does not know the device's token any more: the app was removed from the phone, or has a newer token",
                "провайдер больше не знает токен устройства: приложение удалено с телефона или получило новый токен", do: newToken)
        case .otherApp:
            ReasonMeaning(
                "the provider does not know the device's token, which may belong to another app or project",
                "провайдер не знает токен устройства; возможно, он от другого приложения или проекта",
                do: LocalizedText(
                    "\(openApp). If it happens to many devices, \(source.doubtRemedy(reason))",
                    "\(openApp). Если так со многими устройствами, \(source.doubtRemedy(reason))"))
        case .tooMany:
            ReasonMeaning(
                "the provider limits the rate of pushes", "провайдер просит слать реже", do: waiting,
                ifItLasts: LocalizedText("have the provider raise your quota of pushes", "попросите провайдера увеличить вашу квоту пушей"))
        case .failing:
            ReasonMeaning(
                "the provider failed", "сбой у провайдера",
                do: LocalizedText("\(waiting); if it continues, \(statusPage)", "\(waiting); если это затянется, \(statusPage)"),
                ifItLasts: statusPage
            )
        case .message:
            ReasonMeaning(
                "the provider rejects this push as invalid", "провайдеру что-то не нравится в этом пуше",
                do: LocalizedText(
                    "check the notifier's texts and \"url\", and report this problem if both are correct",
                    "проверьте тексты канала и \"url\", а если они верны, сообщите разработчикам"))
        case .settings:
            ReasonMeaning(
                "the provider refuses the notifier's credential or settings", "провайдер не принимает ключ или настройки канала",
                do: source.settingsRemedy(reason))
        }
    }

    /// Returns the meaning of a status that no other reason explains.
    static func ofStatus(_ reason: String, _ source: ReasonSource) -> ReasonMeaning? {
        guard let status = StatusReason.status(reason) else { return nil }
        if (200..<300).contains(status) { return ReasonMeaning("the receiver accepted it", "получатель принял", do: nil) }
        if case .push = source, status == 429 || status >= 500 {
            return of(status == 429 ? .tooMany : .failing, reason: reason, source: source)
        }
        if [429, 503].contains(status) {
            return ReasonMeaning(
                "the receiver limits the rate of requests, or is down", "получатель просит обращаться реже или не работает", do: waiting)
        }
        if status >= 500 {
            return ReasonMeaning(
                "the receiver failed", "сбой у получателя",
                do: LocalizedText(
                    "look at the receiver's log; Deskgate tries again", "посмотрите журнал получателя; Deskgate повторяет попытки"))
        }
        switch source {
        case .http(let name): return ofHTTP(status, name)
        case .log, .unknown: return ofHTTP(status, "NAME")
        case .push where ![401, 403, 404, 405].contains(status): return of(.message, reason: reason, source: source)
        case .push, .relay:
            return ReasonMeaning(
                "the receiver rejects the notifier's settings", "получатель не принимает настройки канала",
                do: source.settingsRemedy(reason))
        }
    }

    private static func ofHTTP(_ status: Int, _ notifier: String) -> ReasonMeaning {
        switch status {
        case 401, 403:
            ReasonMeaning(
                "the receiver does not take the signature", "получатель не принимает подпись",
                do: HTTPNotifier.signatureRemedy(of: notifier) + LocalizedText("; Deskgate tries again", "; Deskgate повторяет попытки"))
        case 410:
            ReasonMeaning("the receiver accepts no more events", "получатель больше ничего не хочет", do: HTTPNotifier.goneRemedy)
        case 300..<400:
            ReasonMeaning(
                "the receiver redirects, and Deskgate does not follow redirects",
                "получатель перенаправляет, а Deskgate за перенаправлением не идёт",
                do: LocalizedText("check \"url\"", "проверьте \"url\""))
        default:
            ReasonMeaning(
                "the receiver has not taken it", "получатель не принял",
                do: LocalizedText(
                    "check \"url\", and look at the receiver's log; Deskgate tries again",
                    "проверьте \"url\" и посмотрите журнал получателя; Deskgate повторяет попытки"))
        }
    }
}
