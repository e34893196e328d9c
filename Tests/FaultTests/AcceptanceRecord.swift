import Core
import POSIX
import TestSupport
import Threading
import Time

/// The requests and responses of the load, and the deliveries to notifiers. Broken guarantees are detected from this record alone.
final class AcceptanceRecord: Sendable {
    struct State {
        /// The ids under which each comment was sent, by its number.
        var sent: [Int: Set<UUIDv7>] = [:]
        /// The id of each accepted comment.
        var accepted: [Int: UUIDv7] = [:]
        /// The number of times that each delivery was given to the notifiers, by comment.
        var delivered: [Int: [UUIDv7: Int]] = [:]
        /// Devices that had signed out before a comment was sent, by the comment's number.
        var signedOut: [Int: String] = [:]
        /// The numbers of attempted, allowed and denied registrations of a person with a limit. It is unknown whether the others were
        /// counted.
        var asked: [String: Int] = [:]
        var allowed: [String: Int] = [:]
        var denied: [String: Int] = [:]
        /// The numbers of failed calls and of repeated comments.
        var refused = 0
        var repeated = 0
        /// The last acceptance by each replica, and the longest interval until the next one, in milliseconds.
        var acceptedAt: [Int: MonotonicMilliseconds] = [:]
        var counts: [Int: Int] = [:]
        var longestGap: UInt64 = 0
        /// The longest time until replicas accepted calls again after a fault ended, in milliseconds.
        var acceptsAfter: UInt64 = 0
        /// Guarantees that were detected as broken at once.
        var broken: [String] = []
    }

    private let state = Monitor(State())
    private let isJournaled: Bool

    /// - Parameter isJournaled: whether each entry is written to the standard output at once, for the record of another process.
    init(isJournaled: Bool = false) { self.isJournaled = isJournaled }

    /// The complete record, after the load has ended: while a copy exists, each change copies the record again.
    var everything: State { state.withLock { $0 } }

    /// Whether a person was denied by the limit.
    func isLimited(_ user: String) -> Bool { state.withLock { $0.denied[user] != nil } }

    /// Whether a notifier was given a delivery.
    var hasDelivered: Bool { state.withLock { !$0.delivered.isEmpty } }

    func note(_ entry: Entry) {
        if isJournaled { try? File.write(Array("\(entry.line)\n".utf8), to: 1) }
        state.update { $0.take(entry) }
    }

    func noteCall(of replica: Int) {
        state.update { $0.noteCall(of: replica) }
    }

    /// Records the time until replicas accepted calls again after a fault ended.
    func noteAccepting(afterMilliseconds milliseconds: UInt64) {
        state.withLock { $0.acceptsAfter = max($0.acceptsAfter, milliseconds) }
    }

    /// Records a failed call, which will be repeated.
    func noteRefusal() {
        state.withLock { $0.refused += 1 }
    }

    /// Waits until each of these replicas has accepted `count` more events.
    /// - Returns: false at the time limit, which only a failing test reaches.
    func waitForMore(_ count: Int, by replicas: [Int]) -> Bool {
        let before = state.withLock { $0.counts }
        return state.wait(timeoutMilliseconds: WaitLimit.programMilliseconds) { state in
            replicas.allSatisfy { state.counts[$0, default: 0] >= before[$0, default: 0] + count } ? true : nil
        } ?? false
    }
}

extension AcceptanceRecord.State {
    fileprivate mutating func take(_ entry: AcceptanceRecord.Entry) {
        switch entry {
        case .sent(let number, let id):
            if sent[number] != nil { repeated += 1 }
            sent[number, default: []].insert(id)
        case .accepted(let number, let id):
            if let known = accepted[number], known != id { broken.append("comment \(number) was accepted as \(known) and as \(id)") }
            if sent[number]?.contains(id) != true { broken.append("comment \(number) was taken for \(id), which is another one") }
            accepted[number] = id
        case .delivered(let number, let id): delivered[number, default: [:]][id, default: 0] += 1
        case .asked(let user): asked[user, default: 0] += 1
        case .allowed(let user): allowed[user, default: 0] += 1
        case .denied(let user): denied[user, default: 0] += 1
        case .signedOut(let number, let device): signedOut[number] = device
        case .addressed(let number, let device):
            if signedOut[number] == device { broken.append("comment \(number) was addressed to \(device), which had signed out before") }
        case .broken(let promise): broken.append(promise)
        }
    }

    fileprivate mutating func noteCall(of replica: Int) {
        let now = SystemClock.monotonicMilliseconds()
        if let last = acceptedAt[replica] { longestGap = max(longestGap, last.remaining(until: now)) }
        acceptedAt[replica] = now
        counts[replica, default: 0] += 1
    }
}
