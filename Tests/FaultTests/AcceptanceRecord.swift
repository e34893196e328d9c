import Core
import POSIX
import TestSupport
import Threading
import Time

/// What the load has sent and was told, and what the notifiers were given: by it alone is judged whether a promise was broken.
final class AcceptanceRecord: Sendable {
    struct State {
        /// The ids under which each comment was sent, by its number.
        var sent: [Int: Set<UUIDv7>] = [:]
        /// The id that each accepted comment has.
        var accepted: [Int: UUIDv7] = [:]
        /// How often each delivery was given to the notifiers, by its comment.
        var delivered: [Int: [UUIDv7: Int]] = [:]
        /// Devices that had signed out before a comment was sent, by the comment's number.
        var signedOut: [Int: String] = [:]
        /// How many registrations of a person, whose number is limited, were tried, were allowed and were denied. Of the others it is not
        /// known whether they count.
        var asked: [String: Int] = [:]
        var allowed: [String: Int] = [:]
        var denied: [String: Int] = [:]
        /// How many calls failed, and how many times a comment was sent again.
        var refused = 0
        var repeated = 0
        /// When each replica has accepted last, and the longest that it took until the next time, in milliseconds.
        var acceptedAt: [Int: MonotonicMilliseconds] = [:]
        var counts: [Int: Int] = [:]
        var longestGap: UInt64 = 0
        /// The longest that it took replicas to accept some calls again when nothing kept them from it any more, in milliseconds.
        var acceptsAfter: UInt64 = 0
        /// Promises that were seen broken at once.
        var broken: [String] = []
    }

    private let state = Monitor(State())
    private let isJournaled: Bool

    /// - Parameter isJournaled: whether each entry is written to the standard output at once, for the ledger of another process.
    init(isJournaled: Bool = false) { self.isJournaled = isJournaled }

    /// Everything, once the load has ended: while somebody holds a copy, each change costs another one.
    var everything: State { state.withLock { $0 } }

    /// Whether a person was told that the limit is reached.
    func isLimited(_ user: String) -> Bool { state.withLock { $0.denied[user] != nil } }

    /// Whether a notifier was given something.
    var hasDelivered: Bool { state.withLock { !$0.delivered.isEmpty } }

    func note(_ entry: Entry) {
        if isJournaled { try? File.write(Array("\(entry.line)\n".utf8), to: 1) }
        state.update { $0.take(entry) }
    }

    func noteCall(of replica: Int) {
        state.update { $0.noteCall(of: replica) }
    }

    /// Replicas have accepted again, so long after nothing kept them from it any more.
    func noteAccepting(afterMilliseconds milliseconds: UInt64) {
        state.withLock { $0.acceptsAfter = max($0.acceptsAfter, milliseconds) }
    }

    /// A call failed, and will be repeated.
    func noteRefusal() {
        state.withLock { $0.refused += 1 }
    }

    /// Waits until each of these replicas has accepted so much more than it had.
    /// - Returns: false when they were not in time, which only a failing test reaches.
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
