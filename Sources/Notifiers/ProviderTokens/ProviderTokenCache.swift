package import Core
internal import Threading
package import Time

/// A cache of the access tokens for one provider credential. A token is fetched once for all waiting callers, and renewed before it
/// expires.
///
/// Any thread may call it. When the provider rejects a token, the caller must report that, and may then request a token and send once more.
package final class ProviderTokenCache: Sendable {
    /// Receives a token or a failure exactly once, before `token` returns or on the source's thread. It must not block.
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

    /// Creates an empty cache. The first call of `token` fetches a token.
    /// - Parameters:
    ///   - monotonicMilliseconds: a monotonic clock, for the age of tokens.
    ///   - unixMilliseconds: the wall clock, for minting and for the comparison with the provider's clock.
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

    /// Reports that the provider rejected a token as expired.
    /// - Parameter date: the Date header of the provider's answer.
    package func invalidate(_ token: ProviderToken, date: String?) -> TokenRefusal {
        refused(token, isExpired: true, date: date)
    }

    /// Reports that the provider rejected a token for a reason other than its age. The cause may still be a wrong clock.
    /// - Parameter date: the Date header of the provider's answer.
    package func refused(_ token: ProviderToken, date: String?) -> TokenRefusal {
        refused(token, isExpired: false, date: date)
    }

    /// Reports that the provider rejected too many new tokens (APNs' TooManyProviderTokenUpdates).
    /// - Parameter retryAfterMilliseconds: the wait that the provider requested; nil if it requested none.
    /// - Returns: the failure for the current attempt.
    package func tooManyUpdates(retryAfterMilliseconds: UInt64? = nil) -> ProviderTokenFailure {
        let now = monotonicMilliseconds()
        return shared.withLock { shared in
            shared.state.tooManyUpdates(now: now, retryAfterMilliseconds: retryAfterMilliseconds, random: &shared.random)
        }
    }

    /// The seconds by which the provider's clock is ahead of this machine's clock, according to the Date headers of rejections; 0 when they
    /// agree.
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
