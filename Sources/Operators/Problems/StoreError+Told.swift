internal import Core

extension StoreError {
    /// What is wrong with the store, in a sentence.
    var told: Told {
        Told("The store cannot be used (\(kind.rawValue)): \(parts.cause).", "Хранилище не работает (\(kind.rawValue)): \(parts.cause).")
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
            let own = parts.remedy.map { Telling.sentence(Told(verbatim: $0)) } ?? general
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

    /// The cause and, after the first semicolon of the description, the remedy: only the code that made the error knows both.
    private var parts: (cause: String, remedy: String?) {
        guard let separator = description.firstRange(of: "; ") else { return (description, nil) }
        return (String(description[..<separator.lowerBound]), String(description[separator.upperBound...]))
    }
}
