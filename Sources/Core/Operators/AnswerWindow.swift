package import Time

/// Decides whether users are kept out now, from the answers to authorizations in the last ten minutes.
///
/// The chat of an app counts as closed when fewer than one in ten of its authorizations were answered 200. Five answers suffice, so that an
/// app with a handful of users is noticed. Three good answers after the last bad one prove that an app works again; its earlier bad answers
/// are then ignored. After a change of the configuration one good answer suffices, if no bad one comes first. Requests that name no
/// configured app or are malformed, and refused callers, may be strangers', so they are severe only while hardly any user is admitted.
/// Refused callers that name an app are compared with that app's admitted callers, and do not close it.
package struct AnswerWindow: Sendable {
    /// Milliseconds for which an answer counts.
    package static let lengthMilliseconds: UInt64 = 600_000
    /// Answers that were counted within this time count from the same moment, in milliseconds.
    static let stepMilliseconds: UInt64 = 5_000
    /// The minimum number of bad answers that form a finding.
    package static let fewest: UInt64 = 5
    /// The chat is closed when fewer than one in so many are let in.
    package static let share: UInt64 = 10
    /// The number of good answers after the last bad one that ends the finding.
    package static let recovery: UInt64 = 3

    /// The kind of an answer to a caller.
    package enum Result: Sendable {
        /// 200, also because of the shadow mode.
        case authorized
        /// 403.
        case denied
        /// 503.
        case undecided
        /// 400; counted without an app.
        case malformed
        /// 403, before the request was read (`listen.allow` and similar keys), or because its origin is not proven.
        case refused
    }

    package struct Answer: Sendable, Hashable {
        /// The app; empty for requests that name none of the configuration.
        package let app: ByteKey
        package let result: Result
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
            /// Some are denied as revoked, while others are let in.
            case revoked
            /// The requests name an app that is not configured.
            case unknownApp
            case malformed
            case callersRefused
            case webhooksRefused
        }

        package let kind: Kind
        /// Of which app; empty when it is none of the configuration.
        package let app: String
        package let reason: String
        package let count: UInt64
        package let reasonCount: UInt64
        package let total: UInt64
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

    /// The counts when they were last taken in.
    private var counted: [Answer: UInt64] = [:]
    /// The answers since then, the oldest first; steps without any are left out.
    private var slices: [Slice] = []
    /// The causes that a change of the configuration may have mended: no answer has shown since whether it has.
    private var possiblyRepaired: Set<Cause> = []

    /// Begins before the first answer of the process.
    package init() {}

    /// Adds the answers since the process began, and returns the findings.
    package mutating func findings(_ counts: [Answer: UInt64], now: MonotonicMilliseconds) -> [Finding] {
        keep(counts, now: now)
        let sums = slices.reduce(into: [Answer: UInt64]()) { sums, slice in sums.merge(slice.counts, uniquingKeysWith: +) }
        let letIn = sums.reduce(0) { $1.key.result == .authorized ? $0 + $1.value : $0 }
        let apps = Set(sums.keys.map(\.app)).filter { !$0.text.isEmpty }.sorted()
        return apps.flatMap { findings($0, sums) } + strangers(ByteKey(""), sums, letIn: letIn)
    }

    /// Takes in the answers until a change of the configuration, which may have mended the causes of the bad ones. They count on, as
    /// the change may be about something else, until the next answer shows which is so.
    package mutating func doubt(_ counts: [Answer: UInt64], now: MonotonicMilliseconds) {
        keep(counts, now: now)
        possiblyRepaired = Set(slices.flatMap(\.counts.keys).filter { $0.result != .authorized }.map(Cause.init))
    }

    /// Whether a user was admitted within so many milliseconds, by the answers that were added.
    package func hasLetIn(within milliseconds: UInt64, now: MonotonicMilliseconds) -> Bool {
        slices.contains { slice in now.elapsed(since: slice.at) < milliseconds && slice.count { $0.result == .authorized } > 0 }
    }

    private func findings(_ app: ByteKey, _ sums: [Answer: UInt64]) -> [Finding] {
        let own = sums.filter { $0.key.app == app && $0.key.result != .refused }
        let total = own.values.reduce(0, +)
        let letIn = own.reduce(0) { $1.key.result == .authorized ? $0 + $1.value : $0 }
        let isClosed = letIn * Self.share < total
        let undecided = Self.finding(.undecided, result: .undecided, sums: own, total: total, isClosed: isClosed)
            .filter { $0.count * Self.share >= total }
        let denied = Self.finding(.mostDenied, result: .denied, sums: own, total: total, isClosed: true).filter { $0.count * 2 > total }
        let revoked = Self.finding(
            .revoked, result: .denied, sums: own.filter { $0.key.reason == Denial.revoked.rawValue }, total: total, isClosed: false)
        return undecided + (isClosed ? denied : revoked) + strangers(app, sums, letIn: letIn)
    }

    /// Finds refusals that strangers may have caused.
    /// - Parameters:
    ///   - app: the app that they name; empty for none.
    ///   - letIn: how many others were let in.
    private func strangers(_ app: ByteKey, _ sums: [Answer: UInt64], letIn: UInt64) -> [Finding] {
        let named = sums.filter { $0.key.app == app }
        let unnamed: [(Finding.Kind, Result)] = [(.undecided, .undecided), (.unknownApp, .denied), (.malformed, .malformed)]
        return ((app.text.isEmpty ? unnamed : []) + [(.callersRefused, .refused)]).flatMap { kind, result in
            let count = named.reduce(0) { $1.key.result == result ? $0 + $1.value : $0 }
            let isClosed = letIn * Self.share < count + letIn && letInSinceLast(result, app) < Self.recovery
            return Self.finding(kind, result: result, sums: named, total: count + letIn, isClosed: isClosed)
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

    /// Returns the number of users admitted after the last such answer to callers that name the app, or none: of the app, or of all.
    private func letInSinceLast(_ result: Result, _ app: ByteKey) -> UInt64 {
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

    /// Drops the bad answers of causes that were mended. A bad answer shows that its cause was not. Requests without an app are let in
    /// with one.
    private mutating func settle(_ answers: some Collection<Answer>) {
        possiblyRepaired.subtract(answers.map(Cause.init))
        let letIn = Set(answers.filter { $0.result == .authorized }.map(\.app))
        let repaired = possiblyRepaired.filter { $0.app.text.isEmpty ? !letIn.isEmpty : letIn.contains($0.app) }
        guard !repaired.isEmpty else { return }
        possiblyRepaired.subtract(repaired)
        for index in slices.indices { slices[index].counts = slices[index].counts.filter { !repaired.contains(Cause($0.key)) } }
    }

    /// Drops the bad answers of an app that works again.
    private mutating func reset(_ app: ByteKey) {
        func isBad(_ answer: Answer) -> Bool { answer.app == app && answer.result != .authorized }
        let latest = slices.reversed().prefix { $0.count(isBad) == 0 }
        guard latest.count < slices.count,
            latest.reduce(0, { $0 + $1.count { $0.app == app && $0.result == .authorized } }) >= Self.recovery
        else { return }
        for index in slices.indices { slices[index].counts = slices[index].counts.filter { !isBad($0.key) } }
    }
}
