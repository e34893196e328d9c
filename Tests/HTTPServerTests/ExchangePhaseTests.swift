import Glibc
import Synchronization
import TestSupport
import Testing
import Threading

@testable import HTTPServer

@Suite struct ExchangePhaseTests {
    @Test func `follows a request`() {
        let phase = SharedPhase()
        phase.becomeIdle(deadline: 10)
        #expect(phase.isIdle)
        phase.beginReceiving(deadline: 20)
        #expect(!phase.isIdle)
        #expect(phase.beginAnswering(deadline: 30))
        #expect(phase.suspend(deadline: 40))
        #expect(!phase.isIdle)
        #expect(phase.claimSuspended(deadline: 50))
        phase.becomeIdle(deadline: 60)
        #expect(phase.isIdle)
    }

    @Test func `rejects transitions out of order`() {
        let phase = SharedPhase()
        #expect(!phase.beginAnswering(deadline: 1))
        #expect(!phase.suspend(deadline: 1))
        #expect(!phase.claimSuspended(deadline: 1))
        phase.beginReceiving(deadline: 1)
        #expect(!phase.suspend(deadline: 1))
        #expect(phase.beginAnswering(deadline: 1))
        #expect(!phase.beginAnswering(deadline: 1))
        #expect(phase.suspend(deadline: 1))
        #expect(phase.claimSuspended(deadline: 1))
        #expect(!phase.claimSuspended(deadline: 1))
    }

    @Test func `expires idle connections`() {
        let phase = SharedPhase()
        phase.becomeIdle(deadline: 10)
        expectExpiry(of: phase, .requestTimeout)
    }

    @Test func `expires connections without a first request`() {
        let phase = SharedPhase()
        phase.open(deadline: 10)
        #expect(phase.isIdle)
        expectExpiry(of: phase, .noRequest)
    }

    @Test func `a body may take longer than its head`() {
        let phase = SharedPhase()
        phase.open(deadline: 5)
        phase.beginReceiving(deadline: 5)
        phase.receiveBody(deadline: 10)
        expectExpiry(of: phase, .requestTimeout)
    }

    @Test func `reports the start of idleness`() {
        let phase = SharedPhase()
        phase.open(deadline: 105)
        #expect(phase.idleSince(openMilliseconds: 5, idleMilliseconds: 90) == 100)
        phase.beginReceiving(deadline: 110)
        #expect(phase.idleSince(openMilliseconds: 5, idleMilliseconds: 90) == nil)
        phase.receiveBody(deadline: 120)
        #expect(phase.idleSince(openMilliseconds: 5, idleMilliseconds: 90) == nil)
        #expect(phase.beginAnswering(deadline: 120))
        phase.becomeIdle(deadline: 200)
        #expect(phase.idleSince(openMilliseconds: 5, idleMilliseconds: 90) == 110)
        #expect(phase.endIdle())
        #expect(phase.idleSince(openMilliseconds: 5, idleMilliseconds: 90) == nil)
        #expect(!phase.endIdle())
    }

    @Test func `a connection without a request can be closed`() {
        let phase = SharedPhase()
        phase.open(deadline: 10)
        #expect(phase.endIdle())
        phase.beginReceiving(deadline: 20)
        #expect(!phase.beginAnswering(deadline: 20))
    }

    @Test func `expires requests that do not arrive`() {
        let phase = SharedPhase()
        phase.beginReceiving(deadline: 10)
        expectExpiry(of: phase, .requestTimeout)
        #expect(!phase.beginAnswering(deadline: 30))
    }

    @Test func `expires responses that are not read`() {
        let phase = SharedPhase()
        phase.beginReceiving(deadline: 10)
        #expect(phase.beginAnswering(deadline: 10))
        expectExpiry(of: phase, .close)
        #expect(!phase.suspend(deadline: 30))
    }

    /// Expects that the phase expires exactly once, after its deadline of 10, and is never idle afterwards.
    private func expectExpiry(of phase: SharedPhase, _ expected: ExchangePhase.Expiry) {
        #expect(phase.expire(now: 10, answerDeadline: 20) == nil)
        #expect(phase.expire(now: 11, answerDeadline: 20) == expected)
        #expect(phase.expire(now: .max, answerDeadline: 20) == nil)
        phase.becomeIdle(deadline: 30)
        phase.beginReceiving(deadline: 30)
        #expect(!phase.isIdle)
    }

    @Test func `answers suspended requests and continues`() {
        let phase = SharedPhase()
        phase.beginReceiving(deadline: 10)
        #expect(phase.beginAnswering(deadline: 10))
        #expect(phase.suspend(deadline: 10))
        #expect(phase.expire(now: 10, answerDeadline: 20) == nil)
        #expect(phase.expire(now: 11, answerDeadline: 20) == .answer)
        #expect(!phase.claimSuspended(deadline: 30))
        #expect(phase.expire(now: 20, answerDeadline: 40) == nil)
        phase.becomeIdle(deadline: 50)
        #expect(phase.isIdle)
    }

    @Test func `accepts deadlines of any length`() {
        let phase = SharedPhase()
        phase.beginReceiving(deadline: .max)
        #expect(phase.expire(now: 1 << 60, answerDeadline: 0) == nil)
        #expect(phase.expire(now: .max, answerDeadline: 0) == .requestTimeout)
    }

    @Test func `only one thread claims a suspended request`() {
        race {
            $0.beginReceiving(deadline: 1); _ = $0.beginAnswering(deadline: 1); _ = $0.suspend(deadline: 1)
        } first: {
            $0.claimSuspended(deadline: .max)
        } second: {
            $0.expire(now: 2, answerDeadline: .max) == .answer
        }
    }

    @Test func `only one thread claims a complete request`() {
        race {
            $0.beginReceiving(deadline: 1)
        } first: {
            $0.beginAnswering(deadline: .max)
        } second: {
            $0.expire(now: 2, answerDeadline: .max) == .requestTimeout
        }
    }

    @Test func `suspends or closes but not both`() {
        race {
            $0.beginReceiving(deadline: 1); _ = $0.beginAnswering(deadline: 1)
        } first: {
            $0.suspend(deadline: .max)
        } second: {
            $0.expire(now: 2, answerDeadline: .max) == .close
        }
    }

    /// Runs two threads on each phase in turn, and expects that exactly one of them wins each time.
    private func race(
        _ prepare: (SharedPhase) -> Void, first: @escaping Contestant, second: Contestant
    ) {
        let race = Race(rounds: 5000)
        for box in race.boxes { prepare(box.phase) }
        let thread = startThread { race.run(first) { box, won in box.firstWon.store(won, ordering: .relaxed) } }
        race.run(second) { box, won in box.secondWon.store(won, ordering: .relaxed) }
        thread.join()
        let decided = race.boxes.count { $0.firstWon.load(ordering: .relaxed) != $0.secondWon.load(ordering: .relaxed) }
        #expect(decided == race.boxes.count)
    }
}

private typealias Contestant = @Sendable (SharedPhase) -> Bool

/// A reference to a phase that expectations and threads can share.
private final class SharedPhase: Sendable {
    private let phase = ExchangePhase()

    var isIdle: Bool { phase.isIdle }

    func open(deadline: UInt64) { phase.open(deadline: deadline) }
    func becomeIdle(deadline: UInt64) { phase.becomeIdle(deadline: deadline) }
    func receiveBody(deadline: UInt64) { phase.receiveBody(deadline: deadline) }
    func endIdle() -> Bool { phase.endIdle() }
    func idleSince(openMilliseconds: UInt64, idleMilliseconds: UInt64) -> UInt64? {
        phase.idleSince(openMilliseconds: openMilliseconds, idleMilliseconds: idleMilliseconds)
    }
    func beginReceiving(deadline: UInt64) { phase.beginReceiving(deadline: deadline) }
    func beginAnswering(deadline: UInt64) -> Bool { phase.beginAnswering(deadline: deadline) }
    func suspend(deadline: UInt64) -> Bool { phase.suspend(deadline: deadline) }
    func claimSuspended(deadline: UInt64) -> Bool { phase.claimSuspended(deadline: deadline) }
    func expire(now: UInt64, answerDeadline: UInt64) -> ExchangePhase.Expiry? { phase.expire(now: now, answerDeadline: answerDeadline) }
}

private final class Round: Sendable {
    let phase = SharedPhase()
    let firstWon = Atomic(false)
    let secondWon = Atomic(false)
}

private final class Race: Sendable {
    let boxes: [Round]
    private let arrived = Atomic(0)

    init(rounds: Int) {
        boxes = (0..<rounds).map { _ in Round() }
    }

    /// Runs one of the two contestants; each round begins when both have arrived.
    func run(_ contestant: Contestant, _ record: (Round, Bool) -> Void) {
        for (number, round) in boxes.enumerated() {
            arrived.add(1, ordering: .acquiringAndReleasing)
            while arrived.load(ordering: .acquiring) < 2 * (number + 1) { sched_yield() }
            record(round, contestant(round.phase))
        }
    }
}
