import Core
import TestSupport
import Time

extension RandomCalls {
    /// A random operation on calls of bots, with few keys, bots and functions.
    mutating func bots() -> Call {
        switch Int.random(in: 0..<8, using: &random) {
        case 0..<4: return begin()
        case 4..<6: return end()
        case 6: return list()
        default: return giveUp()
        }
    }

    private mutating func begin() -> Call {
        number += 1
        let key = deviceKey()
        let ending = Int.random(in: 0..<4, using: &random) == 0 ? ending() : nil
        let call = BotCall.sample(
            number, key: random.element(of: [1, 2, 3, nil, nil]), app: key.appID, user: key.userID,
            bot: random.element(of: ["shop", "bank"]),
            function: random.element(of: ["f", "g"]), at: now + UInt64.random(in: 0..<60, using: &random), ending)
        return { store in describe { try store.begin(call) } }
    }

    private mutating func ending() -> BotCall.Ending {
        let outcome = random.element(of: BotCall.Outcome.allCases.filter { $0 != .started })
        return BotCall.Ending(
            outcome, statusCode: random.element(of: [200, 404, nil]), reason: random.element(of: ["r", nil]),
            releasesKey: random.element(of: [true, false, false]), at: now)
    }

    private mutating func end() -> Call {
        let (pick, ending) = (Int.random(in: 0..<8, using: &random), ending())
        // Each store chooses among its own calls, which are equal until the test fails.
        return { store in
            describe {
                let calls = try store.allCalls()
                guard let call = calls.dropFirst(pick % max(1, calls.count)).first else { return "none" }
                try store.end(call, ending)
                return "\(call.id)"
            }
        }
    }

    private mutating func list() -> Call {
        var filter = BotCallFilter()
        let key = deviceKey()
        filter.appID = random.element(of: [key.appID, nil])
        filter.userID = random.element(of: [key.userID, nil])
        filter.bot = random.element(of: ["shop", "bank", nil, nil])
        filter.function = random.element(of: ["f", nil])
        filter.outcome = random.element(of: BotCall.Outcome.allCases.map { $0 } + [nil, nil, nil, nil])
        filter.since = random.element(of: [now.saturating(subtracting: 100), nil])
        let (chosen, limit) = (filter, Int.random(in: 1..<5, using: &random))
        return { store in describe { try store.allCalls(chosen, pages: limit) } }
    }

    private mutating func giveUp() -> Call {
        let (time, limit) = (now, Int.random(in: 0..<4, using: &random))
        let began = time.saturating(subtracting: UInt64.random(in: 0..<200, using: &random))
        return { store in describe { try store.markLostBotCalls(startedBefore: began, now: time, limit: limit) } }
    }
}
