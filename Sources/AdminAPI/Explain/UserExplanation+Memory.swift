internal import Core
internal import Time

/// The facts about a person while the store is unavailable.
struct RememberedUser {
    /// The person's state without a key; it has the store's problem.
    let key: KeyFacts
    /// Whether the last known revocations keep the person out with any key.
    let isBlocked: Bool
}

extension Explanation {
    /// Explains a person's status from memory.
    init(_ facts: RememberedUser) {
        let store = Self.store(facts.key)
        let steps =
            [store].compactMap(\.self) + Self.closing(facts.key) + facts.key.backendTroubles
            + facts.key.authorizations.steps(facts.key) + facts.key.authorizations.reservations(facts.key)
        self.init(Self.conclusion(facts, store: store, steps: steps), steps)
    }

    private static func conclusion(_ facts: RememberedUser, store: Step?, steps: [Step]) -> Conclusion {
        if facts.isBlocked {
            let text = LocalizedText(
                "This user is denied with any key: blocked or forgotten, by the last known revocations.",
                "Этому пользователю отказывают с любым ключом: по последним известным отзывам он заблокирован или забыт.")
            return Conclusion(.problem, text, from: Step(.revocations, outcome: .problem, text: text, remedy: unblock(facts.key)))
        }
        if let denied = denied(facts.key, steps) { return denied }
        let text = LocalizedText(
            "Devices, deliveries and the details of revocations are unknown while the store is away; no block of this user is known.",
            "Пока хранилище недоступно, устройства, доставки и подробности отзывов неизвестны; о блокировке пользователя не известно.")
        return Conclusion(.problem, text, from: store)
    }
}

extension Explanation {
    /// Explains how to admit a user whom the last known revocations deny.
    private static func unblock(_ key: KeyFacts) -> LocalizedText {
        let command = "deskgate users unblock --app \(TextFragments.word(key.appID ?? "")) --user \(TextFragments.word(key.userID ?? ""))"
        return LocalizedText(
            "When the store is available, unblock the user: \(command). deskgate status shows the store's problem.",
            "Когда хранилище заработает, снимите блокировку: \(command). Что с хранилищем, говорит deskgate status.")
    }
}

extension AdminContext {
    /// Finds the facts about a person in memory.
    /// - Parameter problem: the reason why the store is unavailable.
    func remembered(userID: String, appID: String, _ problem: StoreError) throws(StoreError) -> RememberedUser {
        var key = KeyFacts(appID: appID, userID: userID, now: now.seconds)
        place(&key, in: appID)
        key.storeProblem = problem.description
        let known = try revocations()
        let isBlocked = key.application.map {
            (try? known.blocks(app: $0.digest, appID: appID.utf8.span, userID: userID.utf8.span)) ?? false
        }
        recall(&key, appID: appID, userID: userID)
        return RememberedUser(key: key, isBlocked: isBlocked ?? false)
    }
}
