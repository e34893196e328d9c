internal import Core

extension Configuration {
    /// The app_id that `deskgate init` writes by default.
    package static let placeholderAppID = "my-app"

    /// Warnings about forgotten settings: an unused notifier, no notifier for anonymous comments, an app_id with a space or quote at an
    /// end, and a placeholder.
    var leftoverWarnings: [ConfigurationWarning] { appIDWarnings + anonymousWarnings + unusedNotifiers }

    private var anonymousWarnings: [ConfigurationWarning] {
        let subscriptions = AppSubscriptions(self)
        return apps.enumerated().compactMap { index, app in
            guard app.anonymous == .accept, subscriptions.quietComments(app.id).isEmpty else { return nil }
            return ConfigurationWarning(
                path: "$.apps[\(index)].anonymous",
                message: LocalizedText(
                    "comments without a user are not delivered, because all notifiers of the app require a device; add a notifier of type http or log to ",
                    "комментарии без пользователя никто не получит: всем каналам приложения нужно устройство; укажите http или log в ")
                    + LocalizedText("\"notifiers\"", "\"notifiers\""))
        }
    }

    private var appIDWarnings: [ConfigurationWarning] {
        apps.enumerated().compactMap { index, app in
            let path = "$.apps[\(index)].app_id"
            if TextEncoding.hasUnseenEnd(app.id) || TextEncoding.hasQuoteAtEnd(app.id) {
                return ConfigurationWarning(
                    path: path,
                    message: LocalizedText(
                        "has white space, a quote or an invisible character at an end, which counts as part of it, ",
                        "начинается или кончается пробелом, кавычкой или невидимым знаком, который считается его частью, ")
                        + LocalizedText(
                            "so calls without this character are denied as unknown_app; remove the character",
                            "поэтому вызовы без него получают отказ unknown_app; уберите этот знак"))
            }
            // The tutorial uses this id and only addresses of the local machine.
            guard Self.isPlaceholder(app.id), callsOtherMachines else { return nil }
            return ConfigurationWarning(
                path: path,
                message: LocalizedText(
                    "is a placeholder, but the service calls other machines; give the app_id that the help desk shows",
                    "остался из образца, а Deskgate уже вызывает другие машины; укажите app_id из службы поддержки"))
        }
    }

    /// Whether the id is the default of `deskgate init`, an id of the examples, or an unfilled template.
    private static func isPlaceholder(_ id: String) -> Bool {
        id == placeholderAppID || id.hasPrefix("THE-APP") || Placeholder.isUnfilled(id)
    }

    private var unusedNotifiers: [ConfigurationWarning] {
        // The notifier `log` exists by default.
        guard notifiers != [Notifier(name: "log", kind: .log)] else { return [] }
        let named = Set(apps.flatMap { $0.notifiers + $0.routes.notifiers } + operators.notifiers)
        return notifiers.filter { !named.contains($0.name) }.map { notifier in
            ConfigurationWarning(
                path: "$.notifiers.\(notifier.name)",
                message: LocalizedText(
                    "nothing is delivered to it, because neither an app's \"notifiers\" or \"routes\" nor $.operators.notifiers names it; ",
                    "ничего не получает, потому что его нет ни в \"notifiers\" или \"routes\" приложений, ни в $.operators.notifiers; ")
                    + LocalizedText("name it there, or remove it", "укажите его там или уберите"))
        }
    }
}
