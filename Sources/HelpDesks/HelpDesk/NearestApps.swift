internal import Configuration
package import Core
internal import Threading
package import Time

/// Records which configured app an unknown `app_id` resembles, for an operator who has mistyped it in the configuration.
///
/// The caller's text is compared and not stored. At most one text a second is compared, so that a flood of them costs nothing. A known app
/// that denies is compared as often, or the time of an answer would reveal which apps exist. Any thread may call it.
package final class NearestApps: Sendable {
    /// Milliseconds for which no other text is compared.
    private static let pauseMilliseconds: UInt64 = 1_000
    /// The maximum number of apps that are compared.
    private static let mostApps = 256

    private struct State {
        /// When the last text of an unknown app was compared.
        var unknownAt: MonotonicMilliseconds?
        var knownAt: MonotonicMilliseconds?
        var found: (name: String, at: MonotonicMilliseconds)?

        mutating func isDue(isUnknown: Bool, now: MonotonicMilliseconds) -> Bool {
            if let last = isUnknown ? unknownAt : knownAt, now.elapsed(since: last) < NearestApps.pauseMilliseconds { return false }
            if isUnknown { unknownAt = now } else { knownAt = now }
            return true
        }
    }

    private let state = Monitor(State())

    /// Compares the `app_id` of a request that is denied.
    /// - Parameter isUnknown: whether no app has it.
    package func note(_ appID: Span<UInt8>, isUnknown: Bool, _ authorizer: Authorizer, now: MonotonicMilliseconds) {
        guard state.withLock({ $0.isDue(isUnknown: isUnknown, now: now) }) else { return }
        let names = authorizer.applications.prefix(Self.mostApps).map(\.name)
        let name = NearestWord.nearest(to: String(appID), in: names)
        if isUnknown, let name { state.withLock { $0.found = (name, now) } }
    }

    /// Forgets the app that was found: another configuration may not have it.
    package func forget() { state.withLock { $0.found = nil } }

    /// The app that was found last, unless that was longer ago than answers count.
    package func current(now: MonotonicMilliseconds) -> String? {
        state.withLock { $0.found }.flatMap { now.elapsed(since: $0.at) < AnswerWindow.lengthMilliseconds ? $0.name : nil }
    }
}
