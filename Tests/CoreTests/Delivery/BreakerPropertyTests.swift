import Core
import TestSupport
import Testing
import Time

/// Long random sequences for a breaker and a model with the same rules but without its random durations.
@Suite struct BreakerPropertyTests {
    private static let policy = RetryPolicy(
        baseMilliseconds: 100, floorMilliseconds: 20, ceilingMilliseconds: 1000, retryAfterCeilingMilliseconds: 1000)
    private static let longestSlowDown: UInt64 = 2000

    @Test(arguments: 0..<100)
    func `permits the same as the model`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var life = Life(failuresToOpen: Int.random(in: 1...5, using: &random))
        var seen: Set<Int> = []
        for _ in 0..<1000 {
            life.now += UInt64.random(in: 0...60, using: &random)
            let permitted = life.breaker.permits(now: life.now)
            #expect(life.model.permitted(now: life.now).contains(permitted))
            seen.insert(permitted)
            life.start(min(permitted, 3))
            life.disturb(&random)
        }
        #expect(seen == [0, 1, .max])
    }

    /// No sequence of events and no clock can block starts forever.
    @Test(arguments: 0..<100)
    func `always permits a start again`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var life = Life(failuresToOpen: Int.random(in: 1...5, using: &random))
        for _ in 0..<200 {
            life.now = UnixMilliseconds(random.next() >> UInt64.random(in: 0...63, using: &random))
            life.start(min(life.breaker.permits(now: life.now), 3))
            life.disturb(&random)
        }
        life.breaker.resume()
        while !life.running.isEmpty { life.end(&random) }
        let now = UnixMilliseconds(UInt64.random(in: 0...UInt64.max / 2, using: &random))
        let first = life.breaker.permits(now: now)
        if let change = life.breaker.nextChange {
            #expect(first == 0)
            #expect(change > now)
            #expect(change <= now + Self.longestSlowDown)
            #expect(life.breaker.permits(now: change) > 0)
        } else {
            #expect(first > 0)
        }
    }

    /// A breaker and its model with the same inputs.
    private struct Life {
        var breaker: Breaker
        var model: Model
        var now: UnixMilliseconds = 0
        var running: [(start: Breaker.Start, number: Int)] = []

        init(failuresToOpen: Int) {
            breaker = Breaker(failuresToOpen: failuresToOpen, openTime: policy, longestSlowDownMilliseconds: longestSlowDown)
            model = Model(failuresToOpen: failuresToOpen)
        }

        mutating func start(_ count: Int) {
            for _ in 0..<count { running.append((breaker.started(), model.started())) }
        }

        mutating func disturb(_ random: inout SeededGenerator) {
            switch Int.random(in: 0..<100, using: &random) {
            case 0..<2:
                let until = now.saturating(adding: UInt64.random(in: 0...300, using: &random))
                breaker.slowDown(until: until, now: now)
                model.slowUntil = max(model.slowUntil, until)
            case 2:
                breaker.pause(.misconfigured)
                model.isPaused = true
            case 3..<10:
                breaker.resume()
                model.resume()
            default: if !running.isEmpty { end(&random) }
            }
        }

        mutating func end(_ random: inout SeededGenerator) {
            let (start, number) = running.remove(at: Int.random(in: running.indices, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6:
                breaker.failed(start, now: now, random: &random)
                model.ended(number, .failure, now: now)
            case 6..<9:
                breaker.succeeded(start)
                model.ended(number, .success, now: now)
            default:
                breaker.inconclusive(start)
                model.ended(number, .nothing, now: now)
            }
        }
    }

    /// The rules of a breaker, defined by the numbers of the attempts and their outcomes.
    private struct Model {
        enum Answer { case success, failure, nothing }

        let failuresToOpen: Int
        var isPaused = false
        var slowUntil: UnixMilliseconds = 0
        private var count = 0
        /// Outcomes of attempts with lower numbers are ignored.
        private var firstThatCounts = 0
        private var answers: [Answer] = []
        private var openedAt: [UnixMilliseconds] = []
        private var probe: Int?

        init(failuresToOpen: Int) {
            self.failuresToOpen = failuresToOpen
        }

        func permitted(now: UnixMilliseconds) -> Set<Int> {
            if isPaused || now < slowUntil || probe != nil { return [0] }
            guard let last = openedAt.last else { return [.max] }
            if now < last + policy.floorMilliseconds { return [0] }
            return now < last + min(1000, 100 << UInt64(openedAt.count - 1)) ? [0, 1] : [1]
        }

        mutating func started() -> Int {
            defer { count += 1 }
            if !openedAt.isEmpty { probe = count }
            return count
        }

        mutating func ended(_ number: Int, _ answer: Answer, now: UnixMilliseconds) {
            guard number >= firstThatCounts else { return }
            if number == probe { probe = nil }
            if answer != .nothing { answers.append(answer) }
            if answer == .success, !openedAt.isEmpty { close() }
            let mayOpen = !openedAt.isEmpty || answers.count >= failuresToOpen && !answers.suffix(failuresToOpen).contains(.success)
            guard answer == .failure, mayOpen else { return }
            openedAt.append(now)
            forget()
        }

        mutating func resume() {
            guard isPaused else { return }
            isPaused = false
            close()
        }

        private mutating func close() {
            openedAt = []
            probe = nil
            forget()
        }

        private mutating func forget() {
            firstThatCounts = count
            answers = []
        }
    }
}
