internal import Configuration
internal import Core
internal import Time

/// What is known of one security key, gathered before anything is said about it.
struct KeyFacts {
    /// Nil when nobody has named the app.
    var appID: String?
    /// Nil when nobody has named the person.
    var userID: String?
    /// The key taken apart; nil when it has another form.
    var key: SecurityKey?
    /// The app; nil when it is not configured or not named.
    var application: Application?
    /// What is asked of the app's keys.
    var policy = KeyPolicy()
    /// What authorization decides now, before the app's shadow mode; nil without an app or a person.
    var verdict: Verdict?
    /// The time of the question.
    var now: UnixSeconds
    /// What is revoked of the app, the person and the key.
    var revocations = RevocationSearch()
    /// Why the store could not be asked which revocations there are; nil when it was. Authorization needs no store.
    var storeProblem: String?
    /// The origin of the app's backend; nil when it has none.
    var backend: String?
    /// The most similar configured app, when the app is unknown.
    var similarApp: String?

    /// The ids of the app's keys, in words.
    var keyIDs: String {
        let ids = application?.keys.map { "\($0.id)" } ?? []
        return ids.isEmpty ? "" : (ids.count == 1 ? "the key id " : "the key ids ") + ids.joined(separator: ", ")
    }

    /// When the secret that made the key ends; nil for no end.
    var secretEnd: UnixSeconds? {
        guard let key else { return nil }
        return application?.keys.first { $0.id == key.keyID }?.notAfter
    }

    /// A similar app, in words.
    var appHint: String { similarApp.map { "; did you mean \"\($0)\"?" } ?? "" }

    /// The revocations that end this key.
    var ending: [Revocation] {
        revocations.found.filter { revocation in
            guard let key else { return revocation.keepsOut }
            return revocation.ends(key)
        }
    }

    /// How the key is revoked: one sentence.
    var revocationSentence: String {
        guard let first = ending.first else {
            if storeProblem != nil { return "The key is revoked; by whom cannot be said while the store is away." }
            return revocations.isCut
                ? "The key is revoked, and not by one of the \(RevocationSearch.mostRead) newest revocations."
                : "The key is revoked, by a revocation that was removed or added this moment."
        }
        return first.sentence + (ending.count > 1 ? " And \(Telling.count(ending.count - 1, "other revocation"))." : "")
    }

    /// How to take it back.
    var revocationRemedy: String {
        if storeProblem != nil { return "Ask again when the store is back; deskgate status says what is wrong with it." }
        guard !ending.isEmpty else { return "Find the revocation with deskgate revocations list --all, and ask again." }
        let undoing = ending.map { $0.remedy }
        var distinct: [String] = []
        for remedy in undoing where !distinct.contains(remedy) { distinct.append(remedy) }
        return distinct.joined(separator: " ")
    }
}

/// What is revoked that may be about a person or a key, newest first.
struct RevocationSearch {
    /// How many of the newest revocations are looked through for those that name no person.
    static let mostRead = 5000
    private static let perPage = 1000

    /// What was found.
    var found: [Revocation] = []
    /// Whether older ones were not looked at.
    var isCut = false

    /// Nothing is revoked.
    init() {}

    /// Searches: what is about the person is found by an index, of the rest the newest are read.
    /// - Parameter key: whose own revocations and those of its key id are wanted too.
    init(_ store: any Store, appID: String, userID: String?, key: SecurityKey?) throws(StoreError) {
        if let userID {
            let person = RevokedPerson(appID: appID, userID: userID)
            let named = try store.revocations(of: person, after: nil, limit: Self.perPage)
            isCut = named.count == Self.perPage
            found = try [store.formerRevocation(of: person)].compactMap(\.self) + named
        }
        var (last, read): (UUIDv7?, Int) = (nil, 0)
        while true {
            let page = try store.revocations(of: nil, after: last, limit: Self.perPage)
            found += page.filter { $0.appID.utf8.elementsEqual(appID.utf8) && $0.mayConcern(key) }
            read += page.count
            guard page.count == Self.perPage else { return }
            guard read < Self.mostRead else { break }
            last = page.last?.id
        }
        isCut = true
    }
}

extension Revocation {
    /// Whether it names no person and may be about a key; when none is given, about more than one.
    func mayConcern(_ key: SecurityKey?) -> Bool {
        switch subject {
        case .everyKey: true
        case .user, .formerUser: false
        case .keyID(let id): key.map { $0.keyID == id } ?? true
        case .securityKey(let salt): key?.salt == salt
        }
    }

    /// Whether it ends a key of its app and person.
    func ends(_ key: SecurityKey) -> Bool {
        let isSubject =
            switch subject {
            case .everyKey, .user, .formerUser: true
            case .keyID(let id): key.keyID == id
            case .securityKey(let salt): key.salt == salt
            }
        return isSubject && issuedBefore.map { key.issuedAt < $0 } ?? true
    }

    /// What was revoked, by whom, when and why: one sentence.
    var sentence: String {
        let what =
            switch subject {
            case .everyKey: "All keys of the app"
            case .user: isBlock ? "This user is blocked: all keys" : "All keys of this user"
            case .formerUser: "This user was forgotten: all keys, also later ones,"
            case .keyID(let id): "All keys made with the key id \(id)"
            case .securityKey: "This one key"
            }
        let until = issuedBefore.map { " that were issued before \(Telling.time($0))" } ?? ""
        let why = reason.isEmpty ? "without a reason" : "with the reason \"\(reason)\""
        return "\(what)\(until) \(isSingle ? "was" : "were") revoked by \(author), \(why)."
    }

    private var isSingle: Bool { if case .securityKey = subject { true } else { false } }

    /// Whether no key of the person counts, also no later one.
    var keepsOut: Bool { isBlock || isOfFormerUser }

    /// How to take it back, or to live with it.
    var remedy: String {
        if isOfFormerUser { return "This cannot be taken back. If the person comes back, give them another user_id." }
        if isBlock {
            return "To let the user in again: deskgate users unblock --app \(Telling.word(appID)) --user \(Telling.word(userID ?? ""))."
        }
        let back = "deskgate revocations remove \(id)."
        return issuedBefore == nil
            ? "If the key should count again: \(back)"
            : "Keys that are minted now count: have the app fetch a new one from its backend. If former keys should count again: \(back)"
    }

    /// The step that tells of it.
    func step(_ outcome: Explanation.Outcome) -> Explanation.Step {
        Explanation.Step(
            .revocations, outcome, sentence, at: createdAt, remedy: remedy,
            [Explanation.Reference(name: "revocation_id", text: id.description)])
    }
}
