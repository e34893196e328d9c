internal import Core
internal import Time

extension Revocation {
    /// The keys that were revoked, the author and the reason; a second sentence counts the devices that were signed out, if any.
    var sentence: LocalizedText {
        let until =
            issuedBefore.map { TextFragments.time($0) }.map { LocalizedText(" that were issued before \($0)", ", выданные до \($0)") }
            ?? LocalizedText(verbatim: "")
        let why =
            reason.isEmpty
            ? LocalizedText("without a reason", "без причины") : LocalizedText("with the reason \"\(reason)\"", "с причиной «\(reason)»")
        return LocalizedText(
            "\(what)\(until) \(isSingle ? "was" : "were") revoked by \(author), \(why).", "\(what)\(until). Отозвал \(author), \(why).")
            + devices
    }

    private var devices: LocalizedText {
        guard devicesRemoved > 0 else { return LocalizedText(verbatim: "") }
        let count = TextFragments.count(devicesRemoved, "device")
        return LocalizedText(
            " \(count) \(devicesRemoved == 1 ? "was" : "were") signed out by it.", " Отключено устройств: \(devicesRemoved).")
    }

    private var what: LocalizedText {
        switch subject {
        case .everyKey: LocalizedText("All keys of the app", "Отозваны все ключи приложения")
        case .user:
            isBlock
                ? LocalizedText("This user is blocked: all keys", "Пользователь заблокирован, все его ключи отозваны")
                : LocalizedText("All keys of this user", "Отозваны все ключи пользователя")
        case .formerUser:
            LocalizedText(
                "This user was forgotten: all keys, also later ones,", "Пользователь забыт, все его ключи отозваны, и будущие тоже")
        case .keyID(let id): LocalizedText("All keys made with the key id \(id)", "Отозваны все ключи, созданные с номером ключа \(id)")
        case .securityKey: LocalizedText("This one key", "Отозван этот один ключ")
        }
    }

    private var isSingle: Bool { if case .securityKey = subject { true } else { false } }

    /// The revocation's bound if keys that are minted now are issued before it; nil otherwise.
    func futureBound(at now: UnixSeconds) -> UnixSeconds? { issuedBefore.flatMap { $0 > Self.bound(after: now) ? $0 : nil } }

    /// Whether no key of a person of the app counts, also none that is minted now. Only Deskgate's own keys say when they were issued.
    func denies(of application: Application?, at now: UnixSeconds) -> Bool {
        switch subject {
        case .everyKey, .user: isBlock || futureBound(at: now) != nil && application?.verification != .backend
        case .formerUser: true
        case .keyID, .securityKey: false
        }
    }

    /// The remedy: how to withdraw it, or to live with it. Other revocations may apply as well.
    func remedy(at now: UnixSeconds) -> LocalizedText {
        if isOfFormerUser {
            return LocalizedText(
                "This cannot be undone. If the person returns, give them another user_id.",
                "Отменить это нельзя. Если человек вернётся, дайте ему другой user_id.")
        }
        if isBlock {
            let command = "deskgate users unblock --app \(TextFragments.word(appID)) --user \(TextFragments.word(userID ?? ""))."
            return LocalizedText("To let the user in again: \(command)", "Чтобы снова впустить пользователя: \(command)")
        }
        let back = "deskgate revocations remove \(id)."
        guard issuedBefore != nil else {
            if case .keyID(let id) = subject {
                return LocalizedText(
                    "This revocation covers later keys with the key id \(id), too: mint with another active key of the app, ",
                    "Этот отзыв касается и будущих ключей с номером \(id): выдавайте другим действующим ключом приложения, ")
                    + LocalizedText(
                        "which deskgate status names; if there is none, deskgate secret rotate adds one. ",
                        "его называет deskgate status; если другого нет, его добавит deskgate secret rotate. ")
                    + LocalizedText("To make them valid again: \(back)", "Чтобы они снова действовали: \(back)")
            }
            return LocalizedText("To make the key valid again: \(back)", "Если ключ снова должен действовать: \(back)")
        }
        if let bound = futureBound(at: now).map({ TextFragments.time($0) }) {
            return LocalizedText(
                "This revocation covers all keys until \(bound), also those that are minted now. To make them valid: \(back)",
                "Этот отзыв касается всех ключей до \(bound), и тех, что выдают сейчас. Чтобы они действовали: \(back)")
        }
        return LocalizedText(
            "This revocation covers no key that is minted now: have the app fetch a new one from its backend. ",
            "Этот отзыв не касается новых ключей: приложение должно получить такой у своего сервера. ")
            + LocalizedText("To make former keys valid again: \(back)", "Чтобы снова действовали прежние: \(back)")
    }

    func step(_ outcome: Explanation.Outcome, at now: UnixSeconds) -> Explanation.Step {
        Explanation.Step(
            .revocations, outcome: outcome, text: sentence, at: createdAt, remedy: remedy(at: now),
            references: [Explanation.Reference(name: "revocation_id", text: id.description)])
    }
}

extension [Revocation] {
    /// The first second whose keys count; nil when all do. Revocations of key ids, and of single keys, are about some keys only.
    var keysSince: UnixSeconds? {
        compactMap { revocation in
            switch revocation.subject {
            case .keyID, .securityKey: nil
            case .everyKey, .user, .formerUser: revocation.issuedBefore
            }
        }.max()
    }
}
