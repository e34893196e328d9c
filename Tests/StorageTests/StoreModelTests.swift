import Core
import TestSupport
import Testing

@testable import Storage

/// Random calls to a memory store and to one in a file, which must never tell a difference.
@Suite struct StoreModelTests {
    @Test(arguments: 0..<24) func doesWhatTheModelDoes(seed: Int) throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.maxPending = 40
        let model = MemoryStore(settings: settings, announcer: Announcements().announcer)
        var store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        defer { store.close() }
        var script = RandomCalls(seed: seed)
        for _ in 0..<250 {
            if script.reopens() {
                store.close()
                store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
                try model.releaseLeases()
            }
            let call = script.next()
            #expect(call(store) == call(model))
            #expect(try state(of: store) == state(of: model))
        }
    }

    /// Everything that can be known of a store.
    private func state(of store: any Store) throws -> StoreState {
        let all = try store.all()
        return StoreState(
            stories: try all.compactMap { try store.story(of: $0.id) }, pending: try store.pending(), refusal: store.refusal,
            due: try ["log", "http"].map { try store.nextDue(notifier: $0) })
    }
}

private struct StoreState: Equatable {
    let stories: [DeliveryStory]
    let pending: [PendingDeliveries]
    let refusal: String?
    let due: [UInt64?]
}

/// Calls that a seed decides, on few tickets and short times, so that they meet each other.
private struct RandomCalls {
    typealias Call = (any Store) -> String

    private var random: SeededGenerator
    private var now: UInt64 = 1000
    private var number = 0

    init(seed: Int) {
        random = SeededGenerator(seed: UInt64(seed))
    }

    mutating func reopens() -> Bool { Int.random(in: 0..<20, using: &random) == 0 }

    mutating func next() -> Call {
        // The clock may be set back as well.
        now = now &+ UInt64.random(in: 0..<40, using: &random) &- UInt64.random(in: 0..<10, using: &random)
        switch Int.random(in: 0..<20, using: &random) {
        case 0..<8: return accept()
        case 8..<12: return claim()
        case 12..<17: return finish()
        case 17: return retry()
        default: return purge()
        }
    }

    private mutating func accept() -> Call {
        number += 1
        var sample = Sample(number)
        sample.comment = Int64.random(in: 0..<30, using: &random)
        sample.ticket = Int64.random(in: 0..<3, using: &random)
        sample.app = random.element(of: ["caf\u{E9}", "cafe\u{301}"])
        sample.received = now
        sample.received = now + UInt64.random(in: 0..<60, using: &random)
        sample.expires = now + UInt64.random(in: 50..<400, using: &random)
        let names = random.element(of: [["log"], ["http"], ["log", "http"], ["log", "log"], []])
        sample.keepsOrder = Bool.random(using: &random)
        let arrival = sample.arrival(to: names)
        return { store in describe { try store.take(arrival) } }
    }

    private mutating func claim() -> Call {
        let claim = Claim(
            notifier: random.element(of: ["log", "http"]), now: now, leaseMilliseconds: UInt64.random(in: 1..<100, using: &random),
            limit: Int.random(in: 0..<6, using: &random), longestDelayMilliseconds: random.element(of: [.max, .max, 40]))
        return { store in describe { try store.claimDue(claim) } }
    }

    private mutating func finish() -> Call {
        let time = now
        let pick = Int.random(in: 0..<8, using: &random)
        let stale = Int.random(in: 0..<6, using: &random) == 0 ? 1 : 0
        let next = random.element(of: [.delivered, .dead, .retry(at: now + 30), .givenUp(.expired)] as [FinishedTry.Next])
        // Both stores choose among their own, which are the same ones as long as the test has not failed.
        return { store in
            describe {
                let tried = try store.all().filter { $0.attempts > 0 }.prefix(8)
                guard let delivery = tried.dropFirst(pick % max(1, tried.count)).first else { return "none" }
                let report = FinishedTry(id: delivery.id, attempt: delivery.attempts - stale, next: next, reason: "r\(pick)", now: time)
                return "\(try store.finish([report]))"
            }
        }
    }

    private mutating func retry() -> Call {
        let (time, expiry) = (now, now + UInt64.random(in: 0..<300, using: &random))
        var filter = DeliveryFilter()
        filter.notifier = random.element(of: ["log", nil])
        filter.ticketID = random.element(of: [1, nil])
        let chosen = filter
        return { store in describe { try store.retry(chosen, now: time, expiresAt: expiry) } }
    }

    private mutating func purge() -> Call {
        let time = now
        let age = UInt64.random(in: 0..<200, using: &random)
        return { store in
            describe { try store.purge(now: time, deliveredBefore: time - age, deadBefore: time - age / 2, limit: 1000) }
        }
    }
}

/// What a call returned or threw, as text.
private func describe<Value>(_ call: () throws -> Value) -> String {
    do {
        return "\(try call())"
    } catch let error as StoreError {
        return error.kind.rawValue
    } catch {
        return "another error"
    }
}
