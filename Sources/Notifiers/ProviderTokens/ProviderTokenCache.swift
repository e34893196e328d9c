package import Core
internal import Threading
package import Time

/// Hands out the tokens of one provider's credential: fetched once, shared by all who wait, renewed early.
///
/// Any thread may call it. A caller whose token the provider refuses reports that, and may then ask for a token and send once more.
package final class ProviderTokenCache: Sendable {
    /// Receives a token or a failure, exactly once, before `token` returns or on the source's thread; must not block.
    package typealias Completion = @Sendable (Result<ProviderToken, ProviderTokenFailure>) -> Void

    private struct Shared {
        var state: ProviderTokenState
        var waiting: [Completion] = []
        var random = SystemRandomNumberGenerator()
    }

    private let shared: Monitor<Shared>
    private let source: any ProviderTokenSource
    private let monotonicMilliseconds: @Sendable () -> MonotonicMilliseconds
    private let unixMilliseconds: @Sendable () -> UnixMilliseconds

    /// Makes an empty cache; the first token is fetched when it is requested.
    /// - Parameters:
    ///   - monotonicMilliseconds: a monotonic clock, for the age of tokens.
    ///   - unixMilliseconds: the wall clock, for minting and for comparing it with the provider's.
    package init(
        _ source: any ProviderTokenSource, policy: ProviderTokenPolicy,
        monotonicMilliseconds: @escaping @Sendable () -> MonotonicMilliseconds,
        unixMilliseconds: @escaping @Sendable () -> UnixMilliseconds
    ) {
        shared = Monitor(Shared(state: ProviderTokenState(policy)))
        self.source = source
        self.monotonicMilliseconds = monotonicMilliseconds
        self.unixMilliseconds = unixMilliseconds
    }

    package func token(_ completion: @escaping Completion) {
        let now = monotonicMilliseconds()
        let decision = shared.withLock { shared in
            let decision = shared.state.request(now: now)
            switch decision {
            case .wait, .fetchAndWait: shared.waiting.append(completion)
            case .use, .useAndFetch, .fail: break
            }
            return decision
        }
        switch decision {
        case .use(let token): completion(.success(token))
        case .useAndFetch(let token, let correction):
            fetch(clockCorrectionSeconds: correction)
            completion(.success(token))
        case .wait: break
        case .fetchAndWait(let correction): fetch(clockCorrectionSeconds: correction)
        case .fail(let failure): completion(.failure(failure))
        }
    }

    /// Reports that the provider calls a token expired.
    /// - Parameter date: the Date header of the provider's answer.
    package func invalidate(_ token: ProviderToken, date: String?) -> TokenRefusal {
        refused(token, isExpired: true, date: date)
    }

    /// Reports that the provider refuses a token for another reason than its age; a wrong clock may still be the cause.
    /// - Parameter date: the Date header of the provider's answer.
    package func refused(_ token: ProviderToken, date: String?) -> TokenRefusal {
        refused(token, isExpired: false, date: date)
    }

    /// Reports that the provider complains of too many tokens (APNs' TooManyProviderTokenUpdates).
    /// - Parameter retryAfterMilliseconds: how long the provider asked to wait; nil when it did not.
    /// - Returns: the failure that the attempt ends with.
    package func tooManyUpdates(retryAfterMilliseconds: UInt64? = nil) -> ProviderTokenFailure {
        let now = monotonicMilliseconds()
        return shared.withLock { shared in
            shared.state.tooManyUpdates(now: now, retryAfterMilliseconds: retryAfterMilliseconds, random: &shared.random)
        }
    }

    /// Seconds by which the provider's clock is ahead of ours, by the Date headers of its refusals; 0 while they agree.
    package var clockSkewSeconds: Int64 {
        shared.withLock { $0.state.clockCorrectionSeconds }
    }

    private func refused(_ token: ProviderToken, isExpired: Bool, date: String?) -> TokenRefusal {
        let (now, unix) = (monotonicMilliseconds(), unixMilliseconds())
        let providerUnixSeconds = ProviderClock.unixSeconds(ofDate: date, now: unix)
        return shared.withLock { shared in
            shared.state.refused(
                token, isExpired: isExpired, providerUnixSeconds: providerUnixSeconds, now: now,
                unixSeconds: unix.seconds)
        }
    }

    private func fetch(clockCorrectionSeconds: Int64) {
        let unixSeconds = unixMilliseconds().seconds.advanced(by: clockCorrectionSeconds)
        source.fetch(unixSeconds: unixSeconds) { self.finish($0) }
    }

    private func finish(_ result: ProviderTokenFetch) {
        let (now, unix) = (monotonicMilliseconds(), unixMilliseconds())
        let (outcome, waiting) = shared.withLock { shared in
            let outcome = shared.state.fetched(
                result, now: now, unixSeconds: unix.seconds, random: &shared.random)
            defer { shared.waiting = [] }
            return (outcome, shared.waiting)
        }
        for completion in waiting { completion(outcome) }
    }
}
