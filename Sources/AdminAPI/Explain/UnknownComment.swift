internal import Configuration
internal import Core
internal import Time

extension Explanation {
    /// The possible causes of an unknown comment: certain ones first, then the likely ones.
    static func unknown(_ facts: CommentFacts) -> Explanation {
        if let incoming = facts.forgottenIncoming { return forgotten(facts, incoming) }
        let takes = facts.app.takesWebhooks
        let isReported = !facts.audience.isEmpty
        let finding =
            !takes
            ? LocalizedText(
                "The app takes no webhooks, so none of its comments is known.",
                "Приложение не принимает вебхуки, поэтому о его комментариях ничего не известно.")
            : !isReported
                ? LocalizedText(
                    "No notifier gets the app's comments, so none is stored.",
                    "О комментариях приложения не узнаёт ни один канал, поэтому они не хранятся.")
                : LocalizedText("No delivery of comment \(facts.comment) is stored.", "Доставок комментария \(facts.comment) нет.")
        // A full queue loses no comment if other queues have room.
        let harmless = facts.stopping.filter { $0.kind == .queueFull && $0.severity == .warning }
        let stopping = Self.stopping(facts.stopping.filter { !harmless.contains($0) })
        let steps =
            (takes ? [] : [noWebhook]) + (isReported ? [] : [noNotifier]) + stopping + (takes ? causes(facts, facts.app.id) : [])
            + Self.stopping(harmless)
        guard takes, isReported, let stopped = stopping.first else {
            return Explanation(Conclusion(.problem, finding, from: steps.first), steps)
        }
        return Explanation(
            Conclusion(.problem, LocalizedText("\(finding) \(stopped.text)", "\(finding) \(stopped.text)"), from: stopped), steps)
    }

    private static let noWebhook = Step(
        .webhook, outcome: .problem,
        text: LocalizedText("The app has no webhook in the configuration.", "У приложения в настройках нет вебхука."),
        remedy: LocalizedText(
            "Configure apps[].webhook, \(LocalizedText.reload), and enter the address in the help desk's settings.",
            "Задайте apps[].webhook, \(LocalizedText.reload) и укажите адрес в настройках службы поддержки."))

    private static let noNotifier = Step(
        .notifier, outcome: .problem,
        text: LocalizedText(
            "Neither apps[].notifiers nor apps[].routes names a notifier that gets comments.",
            "Ни apps[].notifiers, ни apps[].routes не называют канала, который узнаёт о комментариях."),
        remedy: LocalizedText("Name one, and \(LocalizedText.reload).", "Назовите такой и \(LocalizedText.reload)."))

    /// Explains a comment whose deliveries were deleted.
    private static func forgotten(_ facts: CommentFacts, _ incoming: UnixMilliseconds) -> Explanation {
        let (comment, at, retention) = (facts.comment, RFC3339.text(incoming), retention(facts.keep))
        let came = Step(
            .webhook, outcome: .ok,
            text: LocalizedText("The help desk reported comment \(comment).", "Служба поддержки сообщила о комментарии \(comment)."),
            at: incoming)
        // For an app without notifiers no record was created that could be purged.
        if facts.audience.isEmpty {
            let finding = LocalizedText(
                "Comment \(comment) came at \(at), and no notifier gets the app's comments.",
                "Комментарий \(comment) пришёл \(at), но о комментариях приложения не узнаёт ни один канал.")
            return Explanation(Conclusion(.problem, finding, from: noNotifier), [came, noNotifier])
        }
        if facts.now.elapsed(since: incoming) < UInt64(min(facts.keep.keepDeliveredDays, facts.keep.keepDeadDays)) * 86_400_000 {
            return unreported(comment, at: at, came: came)
        }
        let gone = Step(
            .delivery, outcome: .note,
            text: LocalizedText(
                "It has no deliveries any more: they were deleted, or no notifier got it. \(retention)",
                "От его доставок ничего не осталось: они забыты, или ни один канал о нём не узнал. \(retention)"),
            remedy: LocalizedText(
                "The log of that time may show their outcomes. Store deliveries for longer if such queries come late.",
                "Что с ними стало, может сказать журнал того времени. Храните их дольше, если такие вопросы приходят поздно."))
        let finding = LocalizedText(
            "Comment \(comment) came at \(at), and its deliveries were deleted.",
            "Комментарий \(comment) пришёл \(at), а что стало с его доставками, забыто.")
        return Explanation(Conclusion(.note, finding, from: gone), [came, gone])
    }

    /// A comment that is too recent to have been purged for its age.
    private static func unreported(_ comment: HelpDeskID, at: String, came: Step) -> Explanation {
        let none = Step(
            .delivery, outcome: .problem,
            text: LocalizedText(
                "It has no deliveries: no notifier was subscribed when it came, or an operator has purged them or forgotten the user.",
                "Доставок у него нет: когда он пришёл, каналов для него не было, или оператор удалил их или забыл пользователя."),
            remedy: LocalizedText(
                "Deskgate does not deliver it again. Have support repeat it if it matters; the next comment is delivered as configured now.",
                "Deskgate о нём больше не сообщит. Если он важен, пусть поддержка напишет снова; о следующих сообщат, как теперь настроено."
            )
        )
        let finding = LocalizedText(
            "Comment \(comment) came at \(at), and is not delivered.",
            "Комментарий \(comment) пришёл \(at), о нём никому не сообщается.")
        return Explanation(Conclusion(.problem, finding, from: none), [came, none])
    }

    private static func causes(_ facts: CommentFacts, _ app: String) -> [Step] {
        [
            Step(
                .webhook, outcome: .problem,
                text: LocalizedText(
                    "The webhook may not have arrived, or was rejected: nothing is stored about it.",
                    "Возможно, вебхук не приходил или был отклонён: от таких ничего не хранится."), remedy: missing(app)),
            Step(
                .webhook, outcome: .note,
                text: LocalizedText(
                    "Comments that the person wrote are not sent back: they are counted as result=\"ignored\".",
                    "Комментарии самого человека назад не отправляются: они считаются как result=\"ignored\"."),
                remedy: LocalizedText("Query a comment that support wrote.", "Спросите о комментарии, который написала поддержка.")),
            Step(
                .search, outcome: .note,
                text: LocalizedText(
                    "It may be too old: Deskgate keeps records of comments for \(TextFragments.count(Deduplication.milliseconds / 86_400_000, "day")).",
                    "Возможно, он пришёл давно: что он приходил, помнят \(Deduplication.milliseconds / 86_400_000) дн.")),
            Step(
                .search, outcome: .note,
                text: LocalizedText(
                    "The comment may belong to another app, or have another id: ids are compared as text, so 7 and 007 differ.",
                    "Возможно, он из другого приложения или номер другой: номера сравниваются как текст, так что 7 и 007 различны."),
                remedy: LocalizedText(
                    "Look for it: deskgate deliveries list --app \(TextFragments.word(app)).",
                    "Поищите его: deskgate deliveries list --app \(TextFragments.word(app)).")),
        ]
    }

    private static func missing(_ app: String) -> LocalizedText {
        let (series, refusals) = ("deskgate_webhook_events_total{app=\"\(app)\"}", "deskgate_webhook_refusals_total")
        return LocalizedText(
            "See whether \(series) grows when a comment is written. If it does not, see whether \(refusals) does, also that of app=\"\": ",
            "Посмотрите, растёт ли \(series), когда пишут комментарий. Если нет, растёт ли \(refusals), в том числе с app=\"\": ")
            + LocalizedText(
                "its label reason has the cause of 403 and 400. If neither increases, check the address in the help desk's settings ",
                "по причине видно, почему на вебхуки отвечают 403 или 400. Если не растёт ни то, ни другое, проверьте адрес в настройках ")
            + LocalizedText(
                "and that it reaches this machine. If result=\"unavailable\" increases, the store is full or unavailable (deskgate status). ",
                "службы поддержки и доходит ли он до этой машины. Если растёт result=\"unavailable\", хранилище полно или недоступно ")
            + LocalizedText("The log has a sample of such webhooks.", "(deskgate status). В журнале есть выборка таких вебхуков.")
    }
}
