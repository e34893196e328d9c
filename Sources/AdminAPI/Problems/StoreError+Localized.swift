package import Core
internal import HTTPServer
package import Time

extension StoreError {
    /// The cause of the store's failure, in a sentence.
    var localized: LocalizedText {
        LocalizedText("The store cannot be used (\(kind.rawValue)): \(cause).", "Хранилище не работает (\(kind.rawValue)): \(cause).")
    }

    /// The steps that repair it.
    /// - Parameter meanwhile: a sentence about the functions that still work.
    func remedy(_ meanwhile: LocalizedText) -> LocalizedText {
        switch kind {
        case .queueFull:
            return LocalizedText(
                "Repair the notifier for which most deliveries wait (deskgate status), or raise store.max_pending and restart. \(meanwhile)",
                "Почините канал, которого ждёт больше всего доставок (deskgate status), или увеличьте store.max_pending и перезапустите службу. \(meanwhile)"
            )
        case .diskFull:
            return LocalizedText(
                "Free space on the store's disk, or with SQLite lower store.minimum_free_megabytes and restart. \(meanwhile)",
                "Освободите место на диске хранилища или, с SQLite, уменьшите store.minimum_free_megabytes и перезапустите. \(meanwhile)")
        case .corrupt, .unavailable, .notOpen, .inDoubt:
            let own = self.remedy.map { TextFragments.sentence(LocalizedText(verbatim: $0)) } ?? general
            return LocalizedText(
                "\(own) The service tries again by itself. \(meanwhile)", "\(own) Служба повторяет попытки сама. \(meanwhile)")
        case .tooLong:
            return LocalizedText(
                "Narrow the request: name a user or an app.", "Спросите о меньшем: назовите пользователя или приложение.")
        case .closed:
            return LocalizedText("The service is stopping; no action is needed.", "Служба останавливается, делать ничего не нужно.")
        }
    }

    /// One sentence about the functions that still work, and those that do not.
    package func meanwhile(_ revocations: RevocationStatus, now: UnixSeconds) -> LocalizedText {
        // The store works: it rejects only webhooks.
        guard kind == .queueFull else { return revocations.meanwhile(now: now) }
        return LocalizedText(
            """
            Webhooks are answered 503, and may not be repeated; registrations are taken, but their events end as dead: afterwards \
            deskgate deliveries retry --reason queue_full.
            """,
            """
            На вебхуки отвечают 503, и они могут больше не прийти; регистрации принимаются, но их события завершаются неудачей: потом \
            deskgate deliveries retry --reason queue_full.
            """)
    }

    /// The steps if the error contains none.
    private var general: LocalizedText {
        kind == .corrupt
            ? LocalizedText(
                "Stop the service and restore a backup (deskgate store restore).",
                "Остановите службу и восстановите копию (deskgate store restore).")
            : LocalizedText("Make it reachable again.", "Сделайте его снова доступным.")
    }
}
