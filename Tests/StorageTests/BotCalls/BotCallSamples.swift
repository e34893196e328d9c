import Core
import Storage
import Testing
import Time

extension BotCall {
    /// A call for tests. The parameters without an argument are equal in all calls; the number makes the call unique.
    static func sample(
        _ number: Int, key: Int? = nil, app: String = "app", user: String = "user", bot: String = "shop", function: String = "orders",
        at: UnixMilliseconds = 1000, arguments: String? = nil, _ ending: Ending? = nil
    ) -> BotCall {
        BotCall(
            id: UUIDv7(milliseconds: at, number: number), key: key.map { [UInt8](repeating: UInt8($0), count: keyCount) }, appID: app,
            userID: user, bot: bot, function: function, argumentsSHA256: "digest-\(number)", arguments: arguments, at: at, ending: ending)
    }
}

extension Store {
    @discardableResult
    func begin(_ call: BotCall) throws(StoreError) -> BotCallBeginning {
        let answer = Answer<BotCallBeginning>()
        begin(call, isAwaited: { true }) { answer.set($0) }
        return try answer.get()
    }

    /// Begins calls in order and waits for all results. They share commits; calls without a key wait for these commits too.
    func beginAll(_ calls: [BotCall]) throws(StoreError) {
        var answers: [Answer<BotCallBeginning>] = []
        for call in calls {
            let answer = Answer<BotCallBeginning>()
            answers.append(answer)
            begin(call, isAwaited: { true }) { answer.set($0) }
        }
        for answer in answers { _ = try answer.get() }
    }

    func end(_ call: BotCall, _ ending: BotCall.Ending) throws(StoreError) {
        let answer = Answer<Bool>()
        end(call.id, ending) { answer.set($0.map { true }) }
        _ = try answer.get()
    }

    /// All calls that match, page by page.
    func allCalls(_ filter: BotCallFilter = BotCallFilter(), pages limit: Int = 100) throws -> [BotCall] {
        var (calls, place) = ([BotCall](), BotCallCursor?.none)
        repeat {
            let page = try botCalls(filter, after: place, limit: limit)
            #expect(page.calls.count <= limit)
            calls += page.calls
            place = page.next
        } while place != nil
        return calls
    }
}
