package import Core

/// The receiver, as far as the meaning of its responses depends on it.
package enum ReasonSource: Sendable, Equatable {
    case log
    /// A receiver of signed events, by the notifier's name.
    case http(String)
    case relay
    case push(PushDestination)
    /// A notifier that is no longer configured, or no notifier, such as an app's backend.
    case unknown
}

/// The meaning of an attempt's reason, for an operator who wants to know why a delivery did not arrive.
package struct ReasonMeaning: Sendable, Equatable {
    package let text: LocalizedText
    /// The remedy, worded as the end of a sentence; nil when the delivery has arrived.
    package let remedy: LocalizedText?
    /// The remedy if `remedy` is to wait and waiting does not help, worded as the end of a sentence; nil if this reason has none.
    package let lasting: LocalizedText?

    package init(_ text: LocalizedText, _ remedy: LocalizedText?, ifItLasts lasting: LocalizedText? = nil) {
        self.text = text
        self.remedy = remedy
        self.lasting = lasting
    }

    /// The meaning of a reason; nil for one that this version does not know.
    package init?(_ reason: String, from source: ReasonSource) {
        let meaning =
            NotifierReason(rawValue: reason).map { Self.of($0, source) } ?? ClientReason(rawValue: reason).map { Self.of($0, source) }
            ?? Self.ofPush(reason, source) ?? Self.ofToken(reason, source) ?? Self.ofStatus(reason, source)
        guard let meaning else { return nil }
        self = meaning
    }

    /// A meaning with its own remedy.
    init(_ english: Phrase<English>, _ russian: Phrase<Russian>, do remedy: LocalizedText?, ifItLasts lasting: LocalizedText? = nil) {
        self.init(LocalizedText(english, russian), remedy, ifItLasts: lasting)
    }
}

/// The remedy while Deskgate retries automatically.
extension ReasonMeaning {
    static let waiting = LocalizedText(
        "wait: Deskgate tries again by itself until the event expires",
        "подождите: Deskgate повторяет попытки сам, пока событие не устареет")
    static let statusPage = LocalizedText("see the provider's status page", "посмотрите страницу состояния провайдера")
    static let openApp = LocalizedText(
        "have the person open the app, which registers its present token",
        "пусть человек откроет приложение, оно зарегистрирует новый токен")
    /// For a response that removes the device.
    static let newToken = LocalizedText(
        "\(openApp); the device with the old one has left the registry", "\(openApp); устройство со старым токеном уже удалено")

    private static func of(_ reason: NotifierReason, _ source: ReasonSource) -> ReasonMeaning {
        switch reason {
        case .credentialAccepted: ReasonMeaning("the provider accepts the credential", "провайдер принимает ключ", do: nil)
        case .deviceDelayed:
            ReasonMeaning(
                "the provider has limited the pushes to this device, so it was not called for a while",
                "провайдер просит слать этому устройству реже, поэтому некоторое время его не спрашивали", do: waiting,
                ifItLasts: LocalizedText(
                    "no repair is needed: the provider limits the pushes to one device",
                    "чинить нечего: провайдер ограничивает число пушей на одно устройство"))
        case .invalidToken:
            ReasonMeaning(
                "the device's push token is malformed: no device of this provider has such a token",
                "пуш-токен устройства повреждён: у этого провайдера таких не бывает", do: newToken)
        case .keyNotForEnvironment:
            ReasonMeaning(
                "the device seems to belong to the environment that the APNs key is not for",
                "похоже, устройство из той среды, для которой ключ APNs не предназначен",
                do: LocalizedText(
                    "use a key for both environments, or test with an app of the key's environment",
                    "возьмите ключ для обеих сред или проверяйте приложением из среды ключа"))
        case .logged: ReasonMeaning("it was written to the log", "записано в журнал", do: nil)
        case .misconfiguredForDeviceType:
            ReasonMeaning(
                "the provider lacks the credential for devices of this type", "у провайдера нет ключа для устройств этого типа",
                do: source.settingsRemedy(reason.rawValue))
        case .noDevice:
            ReasonMeaning(
                "the device was no longer registered when the attempt was due",
                "когда подошла очередь, устройство уже не было зарегистрировано",
                do: LocalizedText(
                    "have the person open the app, which registers the device again",
                    "пусть человек откроет приложение, оно снова зарегистрирует устройство"))
        case .notForPush:
            ReasonMeaning("an event of this type is not shown on phones", "события этого типа на телефонах не показывают", do: nil)
        case .payloadTooLarge:
            ReasonMeaning(
                "the push is larger than the provider accepts", "пуш больше, чем принимает провайдер",
                do: LocalizedText("shorten the notifier's texts", "сократите тексты канала"))
        case .requestCannotBeMade:
            ReasonMeaning(
                "the request could not be made from the notifier's settings", "из настроек канала не получилось составить запрос",
                do: source.settingsRemedy(reason.rawValue))
        case .unreadablePayload:
            ReasonMeaning(
                "the stored event cannot be read by this version", "эта версия не может прочитать сохранённое событие",
                do: LocalizedText(
                    "run the version of Deskgate that stored it, and retry the delivery",
                    "запустите версию Deskgate, которая его сохранила, и повторите доставку"))
        case .withdrawn:
            ReasonMeaning(
                "the provider accepted a silent push that asks the device to remove read notifications",
                "провайдер принял беззвучный пуш: устройству пора убрать уведомления о прочитанном", do: nil)
        }
    }

    /// The reasons about a push provider's access tokens.
    private static func ofToken(_ reason: String, _ source: ReasonSource) -> ReasonMeaning? {
        switch reason {
        case ProviderTokenFailure.StateReason.clockSkew.rawValue:
            return ReasonMeaning(
                "this machine's clock and the provider's differ too much", "часы этой машины и провайдера слишком расходятся",
                do: PushNotifier.clockRemedy)
        case ProviderTokenFailure.StateReason.tooManyUpdates.rawValue:
            return ReasonMeaning(
                "the provider reports too many different access tokens", "провайдер жалуется, что токены доступа меняются слишком часто",
                do: waiting,
                ifItLasts: LocalizedText(
                    "reload less often: each reload that changes the notifier creates a new token, and Apple accepts one every 20 minutes",
                    "перезагружайте настройки реже: после каждого изменения канала нужен новый токен, а провайдер принимает их раз в 20 минут"
                ))
        default: break
        }
        let inner = TokenReason.withoutPrefix(reason)
        guard inner != reason else { return nil }
        if let status = StatusReason.status(inner), status == 429 || status >= 500 {
            return ReasonMeaning(
                "the provider's token server failed, or limits the requests",
                "у сервера токенов провайдера сбой, или он просит обращаться реже", do: waiting, ifItLasts: statusPage)
        }
        let meaning = ClientReason(rawValue: inner).map { of($0, source) }
        return ReasonMeaning(
            meaning.map { LocalizedText("while an access token was fetched, \($0.text)", "при получении токена доступа: \($0.text)") }
                ?? LocalizedText(
                    "the provider's token server returned no access token", "сервер токенов провайдера не выдал токен доступа"),
            meaning?.remedy ?? source.settingsRemedy(reason))
    }
}

extension ReasonSource {
    /// The remedy for rejected settings: the notifier's own if it has one.
    func settingsRemedy(_ reason: String) -> LocalizedText {
        switch self {
        case .push(let provider): provider.remedy(for: reason)
        case .http: LocalizedText("check \"url\" and \"secret\"", "проверьте \"url\" и \"secret\"")
        case .relay:
            LocalizedText(
                "check the notifier's address, and that the help desk has this app_id and the URL of Deskgate's authorization",
                "проверьте адрес канала и то, что в службе поддержки указаны этот app_id и адрес нашей проверки")
        case .log, .unknown: LocalizedText("check the notifier's settings", "проверьте настройки канала")
        }
    }
}

extension PushDestination {
    /// The remedy when a response with this reason pauses the notifier, worded as the end of a sentence.
    fileprivate func remedy(for reason: String) -> LocalizedText {
        switch self {
        case .apns: (APNsRemedy.byReason[reason] ?? .credential).localized
        case .fcm: (FCMRemedy.byReason[reason] ?? .account).localized
        case .rustore: (RuStoreRemedy.byReason[reason] ?? .token).localized
        case .hms: (HMSRemedy.byReason[reason] ?? .credential).localized
        }
    }
}

extension LocalizedText {
    /// Whether the remedy is to wait.
    package var isWaiting: Bool { english.hasPrefix(ReasonMeaning.waiting.english) }
}
