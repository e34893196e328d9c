internal import Core

extension StoreError {
    /// What is wrong with the store, in a sentence.
    var told: Told {
        Told("The store cannot be used (\(kind.rawValue)): \(cause).", "Хранилище не работает (\(kind.rawValue)): \(cause).")
    }

    /// The steps that mend it.
    /// - Parameter meanwhile: a sentence on the work that goes on until then.
    func remedy(_ meanwhile: Told) -> Told {
        switch kind {
        case .queueFull:
            return Told(
                "See which notifier does not take its deliveries. \(meanwhile)", "Выясните, какой канал не принимает доставки. \(meanwhile)"
            )
        case .diskFull: return Told("Make room on the store's disk. \(meanwhile)", "Освободите место на диске хранилища. \(meanwhile)")
        case .corrupt, .unavailable, .notOpen, .inDoubt:
            let own = self.remedy.map { Telling.sentence(Told(verbatim: $0)) } ?? general
            return Told(
                "\(own) The service tries again by itself. \(meanwhile)", "\(own) Служба повторяет попытки сама. \(meanwhile)")
        case .tooLong:
            return Told("Ask for less at once: name a user or an app.", "Спросите о меньшем: назовите пользователя или приложение.")
        case .closed: return Told("The service is stopping; nothing is to be done.", "Служба останавливается, делать ничего не нужно.")
        }
    }

    /// The steps where the error names none.
    private var general: Told {
        kind == .corrupt
            ? Told(
                "Stop the service and restore a backup (deskgate store restore).",
                "Остановите службу и восстановите копию (deskgate store restore).")
            : Told("Make it reachable again.", "Сделайте его снова доступным.")
    }
}
