internal import Core
internal import Time

struct BotCallFacts {
    private static let most = 5

    /// The latest calls, in descending order of their start.
    private let calls: [BotCall]
    private let hasMore: Bool
    private let person: AppUser

    /// Reads the store; `calls` is empty for most people.
    init(_ store: any Store, of person: AppUser) throws(StoreError) {
        let page = try store.botCalls(BotCallFilter(person), after: nil, limit: Self.most)
        (calls, hasMore, self.person) = (page.calls, page.next != nil, person)
    }

    /// A step for each call; none for a person without calls.
    var steps: [Explanation.Step] { calls.map(\.step) + (hasMore ? [more] : []) }

    private var more: Explanation.Step {
        let command = "deskgate bots calls list --app \(TextFragments.word(person.appID)) --user \(TextFragments.word(person.userID))"
        return Explanation.Step(
            .search, outcome: .note,
            text: LocalizedText("These are the latest \(Self.most) calls of bots.", "Это последние \(Self.most) вызовов ботов."),
            remedy: LocalizedText("For all: \(command).", "Все: \(command)."))
    }
}

extension BotCall {
    /// The call as a step of a person's explanation. A failed call is a note, not a problem: it is over, and prevents neither
    /// the person's access nor the delivery of messages.
    fileprivate var step: Explanation.Step {
        let meaning = BotCallMeaning(self)
        return Explanation.Step(
            .botCall, outcome: outcome == .succeeded ? .ok : .note,
            text: LocalizedText(
                "The bot \(bot) called \(function): \(outcome.rawValue). \(meaning.text)",
                "Бот \(bot) вызвал \(function): \(outcome.rawValue). \(meaning.text)"),
            at: at, remedy: meaning.remedy, references: [Explanation.Reference(name: "bot_call_id", text: id.description)])
    }
}
