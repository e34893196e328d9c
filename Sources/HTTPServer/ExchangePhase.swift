internal import Synchronization

/// The phase of a connection and its deadline, in one atomic word, because three parties change it.
///
/// The serving thread moves it forward, the thread that answers a suspended request claims it, and the watchdog ends a phase that exceeds
/// its deadline. One compare-and-exchange decides every race between them. Times are milliseconds of the monotonic clock.
struct ExchangePhase: ~Copyable {
    enum Expiry: Equatable {
        /// No request line was received in time after the connection was made: close, after 408 if a part of one was received.
        case noRequest
        /// The request was not received in time: 408, then close.
        case requestTimeout
        /// The client does not read its answer: close.
        case close
        /// A suspended request was not answered in time: answer and resume it.
        case answer
    }

    private enum Phase: UInt64 {
        case idle, receiving, answering, suspended, expired
        case opened

        var isIdle: Bool { self == .idle || self == .opened }
    }

    private let word = Atomic<UInt64>(0)

    func open(deadline: UInt64) {
        move(to: .opened, deadline) { $0 == .idle }
    }

    func becomeIdle(deadline: UInt64) {
        move(to: .idle, deadline) { $0 != .expired }
    }

    func beginReceiving(deadline: UInt64) {
        move(to: .receiving, deadline) { $0.isIdle }
    }

    /// The header section is complete, and a body follows.
    func receiveBody(deadline: UInt64) {
        move(to: .receiving, deadline) { $0 == .receiving }
    }

    /// The request is complete.
    /// - Returns: false when the watchdog has already ended it.
    func beginAnswering(deadline: UInt64) -> Bool {
        move(to: .answering, deadline) { $0 == .receiving }
    }

    /// The handler answers later.
    /// - Returns: false when the watchdog has already ended the request.
    func suspend(deadline: UInt64) -> Bool {
        move(to: .suspended, deadline) { $0 == .answering }
    }

    /// Claims the right to answer a suspended request.
    /// - Returns: false when another thread was first.
    func claimSuspended(deadline: UInt64) -> Bool {
        move(to: .answering, deadline) { $0 == .suspended }
    }

    /// Whether a suspended request waits for its answer.
    var isSuspended: Bool { Self.unpack(word.load(ordering: .acquiring)).phase == .suspended }

    /// Whether no request is in progress. An expired request counts as in progress until its connection is closed.
    ///
    /// One thread sets a flag and then reads this; another one begins to answer and then reads the flag. At least one of them sees the
    /// other's write.
    var isIdle: Bool { Self.unpack(word.load(ordering: .sequentiallyConsistent)).phase.isIdle }

    /// The time since which no request has been in progress; nil while one is.
    /// - Parameters:
    ///     - openMilliseconds: the time limit for a connection's first request, from which `open` computed its deadline.
    ///     - idleMilliseconds: the time limit for the next request, from which `becomeIdle` computed its deadline.
    func idleSince(openMilliseconds: UInt64, idleMilliseconds: UInt64) -> UInt64? {
        let (phase, deadline) = Self.unpack(word.load(ordering: .relaxed))
        guard phase.isIdle else { return nil }
        return deadline - min(deadline, phase == .opened ? openMilliseconds : idleMilliseconds)
    }

    /// Ends a connection that waits for its next request.
    /// - Returns: false when the request has arrived in the meantime.
    func endIdle() -> Bool {
        move(to: .expired, 0) { $0.isIdle }
    }

    /// Ends the phase if its deadline has passed.
    /// - Parameters:
    ///     - now: the time; `UInt64.max` ends every phase except idle.
    ///     - answerDeadline: the deadline of the phase after a suspension.
    func expire(now: UInt64, answerDeadline: UInt64) -> Expiry? {
        let current = word.load(ordering: .acquiring)
        let (phase, deadline) = Self.unpack(current)
        guard deadline < now else { return nil }
        let (next, expiry): (UInt64, Expiry)
        switch phase {
        case .opened: (next, expiry) = (Self.pack(.expired, 0), .noRequest)
        case .idle, .receiving: (next, expiry) = (Self.pack(.expired, 0), .requestTimeout)
        case .answering: (next, expiry) = (Self.pack(.expired, 0), .close)
        case .suspended: (next, expiry) = (Self.pack(.answering, answerDeadline), .answer)
        case .expired: return nil
        }
        return word.compareExchange(expected: current, desired: next, ordering: .acquiringAndReleasing).exchanged ? expiry : nil
    }

    @discardableResult
    private func move(to next: Phase, _ deadline: UInt64, when allowed: (Phase) -> Bool) -> Bool {
        var current = word.load(ordering: .acquiring)
        while allowed(Self.unpack(current).phase) {
            let (exchanged, original) = word.compareExchange(
                expected: current, desired: Self.pack(next, deadline), ordering: .sequentiallyConsistent)
            if exchanged { return true }
            current = original
        }
        return false
    }

    private static func pack(_ phase: Phase, _ deadline: UInt64) -> UInt64 {
        min(deadline, UInt64.max >> 3) << 3 | phase.rawValue
    }

    private static func unpack(_ word: UInt64) -> (phase: Phase, deadline: UInt64) {
        guard let phase = Phase(rawValue: word & 7) else { preconditionFailure("an unknown phase was stored") }
        return (phase, word >> 3)
    }
}
