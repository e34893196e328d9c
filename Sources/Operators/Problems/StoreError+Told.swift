internal import Core

extension StoreError {
    /// What is wrong with the store, in a sentence.
    var told: Told {
        Told(
            "The store cannot be used (\(kind.rawValue)): \(description).", "Хранилище не работает (\(kind.rawValue)): \(description).")
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
        case .corrupt:
            return Told(
                "The store is damaged: stop the service and restore a backup (deskgate store restore). \(meanwhile)",
                "Хранилище повреждено: остановите службу и восстановите копию (deskgate store restore). \(meanwhile)")
        case .unavailable, .notOpen, .inDoubt:
            return Told(
                "Make it reachable again; the service opens it by itself. \(meanwhile)",
                "Сделайте его снова доступным; служба откроет его сама. \(meanwhile)")
        case .tooLong:
            return Told("Ask for less at once: name a user or an app.", "Спросите о меньшем: назовите пользователя или приложение.")
        case .closed: return Told("The service is stopping; nothing is to be done.", "Служба останавливается, делать ничего не нужно.")
        }
    }
}
