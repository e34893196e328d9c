package import Time

/// Detects that users are currently denied access, from the responses to authorizations in the last ten minutes.
///
/// An app's chat is considered closed when fewer than one in ten of its authorizations were answered 200. Five bad responses suffice, so
/// that outages of apps with few users are detected. Three good responses after the last bad one show that an app works again; its earlier
/// bad responses are then discarded. After a configuration change, one good response suffices if no bad one precedes it. Malformed
/// requests, requests without a configured app, and rejected callers may come from strangers, so they are reported as an outage only while
/// almost no request is allowed. Rejected callers that name an app are compared with the allowed requests of that app, and do not close its
/// chat.
/// callers that name an app are compared with the allowed ones of that app, and do not close its chat.
package struct AnswerWindow: Sendable {
    /// The period for which responses are counted.
    package static let lengthMilliseconds: UInt64 = 600_000
    /// The resolution of time: responses within one step have the same age.
    static let stepMilliseconds: UInt64 = 5_000
    /// The minimum number of bad responses for a finding.
    package static let fewest: UInt64 = 5
    /// The chat is considered closed when fewer than one in `share` requests are allowed.
    package static let share: UInt64 = 10
    /// The number of good responses after the last bad one that show recovery.
    package static let recovery: UInt64 = 3

    package enum Result: Sendable {
        /// 200, including shadow mode.
        case authorized
        /// 403.
        case denied
        /// 503.
        case undecided
        /// 400; counted without an app.
        case malformed
        /// 403: the caller was rejected before the request was read (`listen.allow` and similar settings), or because its identity is not
        /// proven.
        case refused
    }

    /// A kind of response. Responses with equal values are counted together.
    package struct Answer: Sendable, Hashable {
        /// The app; empty when the request names no configured app.
        package let app: ByteKey
        package let result: Result
        /// The reason, a stable identifier.
        package let reason: String

        package init(_ result: Result, app: String = "", reason: String) {
            self.app = ByteKey(app)
            self.result = result
            self.reason = reason
        }
    }

    package struct Finding: Sendable, Equatable {
        package enum Kind: Sendable {
            case undecided
            case mostDenied
            /// Some requests are denied as revoked, while others are allowed.
            case revoked
            case unknownApp
            case malformed
            case callersRefused
            case webhooksRefused
        }

        package let kind: Kind
        /// The app; empty when the finding is about no configured app.
        package let app: String
        /// The most frequent reason.
        package let reason: String
        package let count: UInt64
        /// The number of responses of this kind with `reason`.
        package let reasonCount: UInt64
        package let total: UInt64
        /// Whether almost no request is allowed.
        package let isClosed: Bool

        package init(_ kind: Kind, app: String = "", reason: String, count: UInt64, reasonCount: UInt64, total: UInt64, isClosed: Bool) {
            self.kind = kind
            self.app = app
            self.reason = reason
            self.count = count
            self.reasonCount = reasonCount
            self.total = total
            self.isClosed = isClosed
        }
    }

    /// Bad responses that may have one cause.
    private struct Cause: Hashable {
        let app: ByteKey
        let result: Result

        init(_ answer: Answer) { (app, result) = (answer.app, answer.result) }
    }

    private struct Slice {
        let at: MonotonicMilliseconds
        var counts: [Answer: UInt64]

        func count(_ passes: (Answer) -> Bool) -> UInt64 { counts.reduce(0) { passes($1.key) ? $0 + $1.value : $0 } }
    }

    /// The totals at the last update.
    private var counted: [Answer: UInt64] = [:]
    /// The responses since the last update, oldest first. Empty steps are omitted.
    private var slices: [Slice] = []
    /// Causes that a configuration change may have removed, while no later response has shown whether it did.
    private var possiblyRepaired: Set<Cause> = []

    package init() {}

    /// Records the totals since the process started, and returns the current findings.
    package mutating func findings(_ counts: [Answer: UInt64], now: MonotonicMilliseconds) -> [Finding] {
        keep(counts, now: now)
        let sums = slices.reduce(into: [Answer: UInt64]()) { sums, slice in sums.merge(slice.counts, uniquingKeysWith: +) }
        let allowed = sums.reduce(0) { $1.key.result == .authorized ? $0 + $1.value : $0 }
        let apps = Set(sums.keys.map(\.app)).filter { !$0.text.isEmpty }.sorted()
        return apps.flatMap { findings($0, sums) } + strangers(ByteKey(""), sums, allowed: allowed)
    }

    /// Records the totals at a configuration change, which may have removed the causes of bad responses. The bad responses remain counted
    /// until the next response, because the change may be unrelated.
    package mutating func doubt(_ counts: [Answer: UInt64], now: MonotonicMilliseconds) {
        keep(counts, now: now)
        possiblyRepaired = Set(slices.flatMap(\.counts.keys).filter { $0.result != .authorized }.map(Cause.init))
    }

    /// Whether a request was allowed within this time, according to the recorded totals.
    package func hasAllowed(within milliseconds: UInt64, now: MonotonicMilliseconds) -> Bool {
        slices.contains { slice in now.elapsed(since: slice.at) < milliseconds && slice.count { $0.result == .authorized } > 0 }
    }

    private func findings(_ app: ByteKey, _ sums: [Answer: UInt64]) -> [Finding] {
        let own = sums.filter { $0.key.app == app && $0.key.result != .refused }
        let total = own.values.reduce(0, +)
        let allowed = own.reduce(0) { $1.key.result == .authorized ? $0 + $1.value : $0 }
        let isClosed = allowed * Self.share < total
        let undecided = Self.finding(.undecided, result: .undecided, sums: own, total: total, isClosed: isClosed)
            .filter { $0.count * Self.share >= total }
        let denied = Self.finding(.mostDenied, result: .denied, sums: own, total: total, isClosed: true).filter { $0.count * 2 > total }
        let revoked = Self.finding(
            .revoked, result: .denied, sums: own.filter { $0.key.reason == Denial.revoked.rawValue }, total: total, isClosed: false)
        return undecided + (isClosed ? denied : revoked) + strangers(app, sums, allowed: allowed)
    }

    /// Finds rejections that strangers may have caused.
    /// - Parameters:
    ///   - app: the app that the callers name; empty for none.
    ///   - allowed: the number of other requests that were allowed.
    private func strangers(_ app: ByteKey, _ sums: [Answer: UInt64], allowed: UInt64) -> [Finding] {
        let named = sums.filter { $0.key.app == app }
        let unnamed: [(Finding.Kind, Result)] = [(.undecided, .undecided), (.unknownApp, .denied), (.malformed, .malformed)]
        return ((app.text.isEmpty ? unnamed : []) + [(.callersRefused, .refused)]).flatMap { kind, result in
            let count = named.reduce(0) { $1.key.result == result ? $0 + $1.value : $0 }
            let isClosed = allowed * Self.share < count + allowed && allowedSinceLast(result, app) < Self.recovery
            return Self.finding(kind, result: result, sums: named, total: count + allowed, isClosed: isClosed)
        }
    }

    private static func finding(
        _ kind: Finding.Kind, result: Result, sums: [Answer: UInt64], total: UInt64, isClosed: Bool
    ) -> [Finding] {
        let found = sums.filter { $0.key.result == result }
        let count = found.values.reduce(0, +)
        guard count >= fewest, let most = found.max(by: { ($0.value, $1.key.reason) < ($1.value, $0.key.reason) }) else { return [] }
        return [
            Finding(
                kind, app: most.key.app.text, reason: most.key.reason, count: count, reasonCount: most.value, total: total,
                isClosed: isClosed)
        ]
    }

    /// Counts the requests that were allowed after the last response `result` for `app`. If `app` is empty, requests of all apps are
    /// counted.
    private func allowedSinceLast(_ result: Result, _ app: ByteKey) -> UInt64 {
        slices.reversed().prefix { $0.count { $0.app == app && $0.result == result } == 0 }
            .reduce(0) { $0 + $1.count { $0.result == .authorized && (app.text.isEmpty || $0.app == app) } }
    }

    private mutating func keep(_ counts: [Answer: UInt64], now: MonotonicMilliseconds) {
        var grown: [Answer: UInt64] = [:]
        for (answer, count) in counts {
            let before = counted[answer] ?? 0
            if count > before { grown[answer] = count - before }
        }
        counted = counts
        slices.removeAll { now.elapsed(since: $0.at) >= Self.lengthMilliseconds }
        guard !grown.isEmpty else { return }
        if let last = slices.indices.last, now.elapsed(since: slices[last].at) < Self.stepMilliseconds {
            slices[last].counts.merge(grown, uniquingKeysWith: +)
        } else {
            slices.append(Slice(at: now, counts: grown))
        }
        for app in Set(grown.keys.map(\.app)) where !app.text.isEmpty { reset(app) }
        settle(grown.keys)
    }

    /// Discards the bad responses of removed causes. A further bad response shows that its cause remains. A cause without an app is removed
    /// when a request of any app is allowed.
    private mutating func settle(_ answers: some Collection<Answer>) {
        possiblyRepaired.subtract(answers.map(Cause.init))
        let allowed = Set(answers.filter { $0.result == .authorized }.map(\.app))
        let repaired = possiblyRepaired.filter { $0.app.text.isEmpty ? !allowed.isEmpty : allowed.contains($0.app) }
        guard !repaired.isEmpty else { return }
        possiblyRepaired.subtract(repaired)
        for index in slices.indices { slices[index].counts = slices[index].counts.filter { !repaired.contains(Cause($0.key)) } }
    }

    /// Discards the bad responses of an app that works again.
    private mutating func reset(_ app: ByteKey) {
        func isBad(_ answer: Answer) -> Bool { answer.app == app && answer.result != .authorized }
        let latest = slices.reversed().prefix { $0.count(isBad) == 0 }
        guard latest.count < slices.count,
            latest.reduce(0, { $0 + $1.count { $0.app == app && $0.result == .authorized } }) >= Self.recovery
        else { return }
        for index in slices.indices { slices[index].counts = slices[index].counts.filter { !isBad($0.key) } }
    }
}
