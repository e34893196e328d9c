internal import Configuration
package import Core
internal import Threading
package import Time

/// Finds the configured app that an unknown `app_id` resembles, to report a probable typing error in the configuration.
///
/// The caller's text is compared and not stored. At most one text a second is compared, so that a flood costs little. Denied requests of
/// known apps are compared at the same rate; otherwise the response time would reveal which apps exist. Safe on any thread.
package final class NearestApps: Sendable {
    private static let pauseMilliseconds: UInt64 = 1_000
    private static let maximumApps = 256

    private struct State {
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

    /// Compares the `app_id` of a denied request.
    /// - Parameter isUnknown: whether no configured app has this id.
    package func note(_ appID: Span<UInt8>, isUnknown: Bool, _ authorizer: Authorizer, now: MonotonicMilliseconds) {
        guard state.withLock({ $0.isDue(isUnknown: isUnknown, now: now) }) else { return }
        let names = authorizer.applications.prefix(Self.maximumApps).map(\.name)
        let name = NearestWord.nearest(to: String(appID), in: names)
        if isUnknown, let name { state.withLock { $0.found = (name, now) } }
    }

    /// Clears the app that was found, because another configuration may not contain it.
    package func forget() { state.withLock { $0.found = nil } }

    /// The app found last, if that is within `AnswerWindow`.
    package func current(now: MonotonicMilliseconds) -> String? {
        state.withLock { $0.found }.flatMap { now.elapsed(since: $0.at) < AnswerWindow.lengthMilliseconds ? $0.name : nil }
    }
}
