/// The reason for rejecting a webhook, as in logs and metrics.
package enum WebhookRefusal: String, Sendable, CaseIterable {
    /// The path ends with an unknown secret.
    case pathSecret = "path_secret"
    /// The signature is missing or malformed.
    case noSignature = "no_signature"
    /// No key of the app matches the signature.
    case signature
    /// The body names an app that the verified secret or signature does not cover.
    case app
    /// The path names an app that is not configured.
    case unknownApp = "unknown_app"
    /// The body names no user, and its app does not accept that.
    case anonymous
    case malformed

    /// Whether any caller can cause it, because the webhook is not authenticated yet.
    package var isUnproven: Bool {
        switch self {
        case .pathSecret, .noSignature, .signature, .unknownApp: true
        case .app, .anonymous, .malformed: false
        }
    }

    /// Whether the body is at fault, and not the webhook's authentication.
    package var isOfBody: Bool { self == .malformed || self == .anonymous }

    /// Returns the remedy for the case that the help desk itself sent the webhooks, worded as the end of a sentence.
    /// - Parameter app: the app that they name; nil or empty when unknown.
    package func remedy(of app: String?) -> LocalizedText {
        switch self {
        case .app where app?.isEmpty ?? true:
            LocalizedText(
                """
                compare the app_id that the help desk shows with apps[].app_id: the body names one that is not configured, or has no \
                apps[].webhook
                """,
                """
                сравните app_id, который показывает служба поддержки, с apps[].app_id: того, что указан в теле, нет в настройках, или у него \
                нет apps[].webhook
                """)
        case .pathSecret:
            LocalizedText(
                """
                compare the end of the address in the help desk's settings with the secret of apps[].webhook; during a rotation give a list \
                of both
                """,
                """
                сравните конец адреса в настройках службы поддержки с секретом из apps[].webhook; на время замены укажите список из обоих
                """)
        case .noSignature:
            LocalizedText(
                "have the help desk sign its webhooks, or, with Pyrus, remove apps[].webhook.signature_secret and \(LocalizedText.reload)",
                """
                пусть служба поддержки подписывает вебхуки; для Pyrus можно удалить apps[].webhook.signature_secret; после этого \(LocalizedText.reload)
                """)
        case .signature:
            LocalizedText(
                """
                compare the app's signature secret or Sendbird tokens with the help desk's, and see that no proxy changes bodies: \
                deskgate webhook verify --explain judges one
                """,
                """
                сравните секрет подписи или токены Sendbird у приложения и у службы поддержки и проверьте, что прокси не меняет тело: \
                deskgate webhook verify --explain
                """)
        case .app:
            LocalizedText(
                "give each app its own address in the help desk's settings: this one belongs to another app",
                "укажите в настройках службы поддержки каждому приложению его собственный адрес: этот принадлежит другому")
        case .unknownApp:
            LocalizedText(
                "correct the app at the end of the address in the help desk's settings: it is not configured here",
                "исправьте приложение в конце адреса в настройках службы поддержки: здесь такого нет")
        case .anonymous:
            LocalizedText(
                """
                choose external authorization for the chat at the help desk, or set apps[].anonymous to "accept" and \(LocalizedText.reload): the \
                webhooks name no user, as those of a chat in anonymous mode
                """,
                """
                выберите в службе поддержки внешнюю авторизацию чата или задайте apps[].anonymous значение "accept" и \(LocalizedText.reload): в \
                вебхуках не назван пользователь, как у чата в анонимном режиме
                """)
        case .malformed:
            LocalizedText(
                "check the field that the log names; if the help desk has changed its format, open an issue with a body without personal data",
                """
                посмотрите, какое поле называет журнал; если служба поддержки сменила формат, сообщите об этом, приложив тело без личных \
                данных
                """)
        }
    }
}
