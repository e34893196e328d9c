internal import Configuration
internal import Core
internal import Time

struct KeyFacts {
    /// nil when the caller names no app.
    var appID: String?
    /// nil when the caller names no person.
    var userID: String?
    /// The parsed key; nil when it is malformed.
    var key: SecurityKey?
    /// The app; nil when it is not configured or not named.
    var application: Application?
    var policy = KeyPolicy()
    /// The `not_after` of the app's last active key; nil when one has no expiry, or none is active.
    var mintingEnd: UnixSeconds?
    /// The verdict of authorization now, before the app's shadow mode; nil without an app or a person.
    var verdict: Verdict?
    var now: UnixSeconds
    /// Revocations of the app, the person and the key.
    var revocations = RevocationSearch()
    /// The newest revoked key of the app; nil when there is none, or no service has checked.
    var revokedKey: RevokedKey?
    /// The reason why revocations could not be read from the store; nil when they were. Authorization needs no store.
    var storeProblem: String?
    /// The origin of the app's backend; nil when it has none.
    var backend: String?
    /// The answer to users while that backend cannot decide.
    var whenUndecided = UndecidedPolicy.error
    /// nil when it is unknown.
    var backendStatus: BackendStatus?
    /// Problems that keep users out of the app's chat now.
    var closing = ChatClosure()
    /// Whether the person has no device; false if devices were not searched.
    var isWithoutDevice = false
    var limits: [LimitRule] = []
    var authorizations = AuthorizationFacts.unknown
    var reference: String?
    /// The most similar configured app, when the app is unknown.
    var similarApp: String?

    /// Whether authorization allows the key, and no backend decides after it.
    var isAuthorized: Bool { if case .authorized? = verdict { true } else { false } }

    /// Whether the person was recently denied, as by a replica that lacks a key.
    var lacksKey: Bool { authorizations.lacksKey(at: now) }

    /// The ids of the app's keys, in words; nil when it has none.
    var keyIDs: LocalizedText? {
        let ids = application?.keys.map { "\($0.id)" } ?? []
        let list = ids.joined(separator: ", ")
        if ids.isEmpty { return nil }
        return ids.count == 1
            ? LocalizedText("the key id \(list)", "ключ с номером \(list)")
            : LocalizedText("the key ids \(list)", "ключи с номерами \(list)")
    }

    /// The expiry of the secret that signed the key; nil for none.
    var secretEnd: UnixSeconds? {
        guard let key else { return nil }
        return application?.keys.first { $0.id == key.keyID }?.notAfter
    }

    /// Returns the reason why a key is denied for any user: the app does not have its secret, or the key has expired; nil otherwise.
    func denial(of key: SecurityKey) -> Denial? {
        if let application, !application.keys.contains(where: { $0.id == key.keyID }) { return .unknownKey }
        return policy.denial(of: key, notAfter: secretEnd, now: now)
    }

    /// The end of a sentence, with a similar app if there is one.
    var appHint: LocalizedText {
        similarApp.map { LocalizedText("; did you mean \"\($0)\"?", "; может быть, «\($0)»?") } ?? LocalizedText(verbatim: ".")
    }

    /// Whether a revocation that was found denies the person with any key.
    func denies(_ revocation: Revocation) -> Bool { revocation.denies(of: application, at: now) }

    var ending: [Revocation] {
        revocations.found.filter { revocation in
            guard let key else { return denies(revocation) }
            return revocation.ends(key)
        }
    }

    /// The revocation of the key: one sentence.
    var revocationSentence: LocalizedText {
        guard let first = ending.first else {
            if storeProblem != nil {
                return LocalizedText(
                    "The key is revoked; the author is unknown while the store is unavailable.",
                    "Ключ отозван; кем, нельзя сказать, пока хранилище недоступно.")
            }
            let most = RevocationSearch.maximumRead
            return revocations.isCut
                ? LocalizedText(
                    "The key is revoked, but not by one of the \(most) newest revocations.",
                    "Ключ отозван, но не одним из \(most) самых новых отзывов.")
                : LocalizedText(
                    "The key is revoked by a revocation that is being removed or was just added.",
                    "Ключ отозван отзывом, который только что сняли или добавили.")
        }
        let others = ending.count - 1
        guard others > 0 else { return first.sentence }
        return LocalizedText(
            "\(first.sentence) And \(TextFragments.count(others, "other revocation")).", "\(first.sentence) И других отзывов: \(others).")
    }

    /// The cause of the backend's last failure, as a sentence that follows others; empty when it is unknown.
    var backendCause: LocalizedText { backendStatus?.cause(at: backend) ?? LocalizedText(verbatim: "") }

    /// Whether that backend has failed, and has decided again since.
    var backendDecidesAgain: Bool { backendStatus?.hasRecovered == true }

    /// The problems of the app's backend, which decides after or instead of the key. A problem that keeps out no user with a valid key is a
    /// note.
    var backendTroubles: [Explanation.Step] {
        guard let appID, let backendStatus else { return [] }
        return backendStatus.problems(of: appID, at: backend, whenUndecided).map {
            let denies = $0.severity == .problem && whenUndecided != .allowIfKeyValid
            return Explanation.Step(.backend, outcome: denies ? .problem : .note, text: $0.text, remedy: $0.remedy)
        }
    }

    var revocationRemedy: LocalizedText {
        if storeProblem != nil {
            return LocalizedText(
                "Repeat the command when the store is available; deskgate status shows its problem.",
                "Спросите снова, когда хранилище заработает; что с ним, говорит deskgate status.")
        }
        guard !ending.isEmpty else {
            return (revokedKey?.remedy ?? LocalizedText(verbatim: ""))
                + LocalizedText(
                    """
                    If its revocation was removed since then, the next request is allowed. Otherwise find it: deskgate revocations list --all. \
                    To let such keys in again: deskgate revocations remove ID.
                    """,
                    """
                    Если отзыв с тех пор снят, следующий запрос примут. Иначе найдите его: deskgate revocations list --all. \
                    Чтобы такие ключи снова действовали: deskgate revocations remove ID.
                    """)
        }
        var distinct: [LocalizedText] = []
        for remedy in ending.map({ $0.remedy(at: now) }) where !distinct.contains(remedy) { distinct.append(remedy) }
        return TextFragments.sentences(distinct)
    }
}

extension RevokedKey {
    /// The condition under which new security keys are valid, as a sentence that precedes others.
    fileprivate var remedy: LocalizedText {
        let new =
            other.map { LocalizedText("have the backend mint with key \($0)", "пусть сервер выдаёт ключи ключом \($0)") }
            ?? LocalizedText(
                "add a key with deskgate secret rotate and have the backend mint with it",
                "добавьте ключ командой deskgate secret rotate, и пусть сервер выдаёт ключи им")
        return LocalizedText("The key id \(keyID) is revoked: \(new). ", "Ключ с номером \(keyID) отозван: \(new). ")
    }
}

extension Revocation {
    /// Whether it names no person and may apply to a key; without a key, whether it applies to more than one.
    func mayConcern(_ key: SecurityKey?) -> Bool {
        switch subject {
        case .everyKey: true
        case .user, .formerUser: false
        case .keyID(let id): key.map { $0.keyID == id } ?? true
        case .securityKey(let salt): key?.salt == salt
        }
    }

    /// Whether it applies to a key of its app and person.
    func ends(_ key: SecurityKey) -> Bool {
        let isSubject =
            switch subject {
            case .everyKey, .user, .formerUser: true
            case .keyID(let id): key.keyID == id
            case .securityKey(let salt): key.salt == salt
            }
        return isSubject && issuedBefore.map { key.issuedAt < $0 } ?? true
    }
}
