internal import Configuration
internal import Core

/// Devices that are registered and never notified, and apps without a registered device.
extension ProblemSearch {
    /// One for each type that no notifier serves in the configuration in force. It may concern only a few phones, so it is a warning.
    var unservedDevices: [Problem] {
        guard !unserved.isEmpty else { return [] }
        let subscriptions = AppSubscriptions(configuration)
        return unserved.filter { subscriptions.leaveOut($0.app, deviceType: $0.type) }.map(unservedDevices)
    }

    /// A warning while no device registers, which may be normal before the app's first release.
    func missingDevices(of app: String) -> Problem {
        let series = "deskgate_push_token_requests_total{app=\"\(app)\"}"
        return Problem(
            .devicesMissing, as: .warning, of: app,
            LocalizedText(
                "No device of \(app) is registered: comments end as no_target, and no phone is notified.",
                "У приложения \(app) нет зарегистрированных устройств: комментарии завершаются как no_target, телефоны не уведомляются."),
            remedy: LocalizedText(
                "Have the app register its push token when it starts. \(series) counts the results: ",
                "Пусть приложение при запуске регистрирует пуш-токен. Что из этого выходит, считает \(series): ")
                + LocalizedText(
                    "if it does not increase, no registration arrives; if only refusals increase, the log has their reasons.",
                    "если не растёт, регистраций нет; если растут только отказы, их причины есть в журнале."))
    }

    private func unservedDevices(_ found: UnservedDevices.Finding) -> Problem {
        let (app, count, total, window) = (found.app, found.count, found.total, AnswerWindow.lengthMilliseconds / 60_000)
        let known = configuration.app(app)?.routes.byType.map(\.type) ?? []
        let nearest =
            NearestWord.nearest(to: found.type, in: known).map {
                LocalizedText(" The nearest entry of apps[].routes is \($0).", " Ближайшая запись в apps[].routes: \($0).")
            } ?? LocalizedText(verbatim: "")
        let type =
            found.type.isEmpty
            ? LocalizedText("without a type", "без типа") : LocalizedText("of the type \(found.type)", "типа \(found.type)")
        return Problem(
            .devicesUnserved, as: .warning, of: app,
            LocalizedText(
                """
                \(count) of \(total) registrations of \(app) within \(window) minutes came from devices \(type), which no notifier serves: \
                they are never notified.\(nearest)
                """,
                """
                За \(window) мин. \(count) из \(total) регистраций приложения \(app) пришли от устройств \(type), которые не обслуживает \
                ни один канал: их никогда не уведомляют.\(nearest)
                """),
            remedy: found.type.isEmpty
                ? LocalizedText(
                    "Have the app send the type of its device, or name a \"default\" in apps[].routes, and \(LocalizedText.reload).",
                    "Пусть приложение передаёт тип устройства, или укажите \"default\" в apps[].routes и \(LocalizedText.reload).")
                : LocalizedText(
                    "Lead the type to a notifier in apps[].routes, and \(LocalizedText.reload).",
                    "Направьте этот тип в канал в apps[].routes и \(LocalizedText.reload)."))
    }
}
