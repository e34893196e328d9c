package import Core
internal import Threading

/// Hands out the token of one provider's credential: minted or fetched once, shared by all who wait, renewed early.
///
/// Any thread may call it. A notifier that gets a token refused says so, and may then ask again and try once more.
package final class ProviderTokenCache: Sendable {
    /// Receives a token, or why there is none: exactly once, at once or on the source's thread; must not block.
    package typealias Completion = @Sendable (Result<ProviderToken, ProviderTokenFailure>) -> Void

    private struct Shared {
        var state: ProviderTokenState
        var waiting: [Completion] = []
        var random = SystemRandomNumberGenerator()
    }

    private let shared: Monitor<Shared>
    private let source: any ProviderTokenSource
    private let monotonicMilliseconds: @Sendable () -> UInt64
    private let unixMilliseconds: @Sendable () -> UInt64

    /// Fetches nothing yet.
    /// - Parameters:
    ///   - monotonicMilliseconds: a clock that only goes forward, for the age of tokens.
    ///   - unixMilliseconds: the time as people set it, for minting and for comparing it with the provider's.
    package init(
        _ source: any ProviderTokenSource, policy: ProviderTokenPolicy, monotonicMilliseconds: @escaping @Sendable () -> UInt64,
        unixMilliseconds: @escaping @Sendable () -> UInt64
    ) {
        shared = Monitor(Shared(state: ProviderTokenState(policy)))
        self.source = source
        self.monotonicMilliseconds = monotonicMilliseconds
        self.unixMilliseconds = unixMilliseconds
    }

    /// Asks for a token.
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

    /// Says that the provider calls a token expired.
    /// - Parameter date: the Date header of its answer.
    package func invalidate(_ token: ProviderToken, date: String?) -> TokenRefusal {
        refused(token, isExpired: true, date: date)
    }

    /// Says that the provider refuses a token for another reason than its age, which may be a wrong clock all the same.
    /// - Parameter date: the Date header of its answer.
    package func refused(_ token: ProviderToken, date: String?) -> TokenRefusal {
        refused(token, isExpired: false, date: date)
    }

    /// Says that the provider complains of too many tokens (APNs' TooManyProviderTokenUpdates).
    /// - Parameter retryAfterMilliseconds: how long it asked to be left alone, if it did.
    /// - Returns: what the try comes to.
    package func tooManyUpdates(retryAfterMilliseconds: UInt64? = nil) -> ProviderTokenFailure {
        let now = monotonicMilliseconds()
        return shared.withLock { shared in
            shared.state.tooManyUpdates(now: now, retryAfterMilliseconds: retryAfterMilliseconds, random: &shared.random)
        }
    }

    /// How far the provider's clock is ahead of ours, in seconds, as its refusals have shown; 0 while they agree.
    package var clockSkewSeconds: Int64 {
        shared.withLock { $0.state.clockCorrectionSeconds }
    }

    private func refused(_ token: ProviderToken, isExpired: Bool, date: String?) -> TokenRefusal {
        let (now, unix) = (monotonicMilliseconds(), unixMilliseconds())
        let providerUnixSeconds = ProviderClock.unixSeconds(ofDate: date, nowMilliseconds: unix)
        return shared.withLock { shared in
            shared.state.refused(
                token, isExpired: isExpired, providerUnixSeconds: providerUnixSeconds, now: now, unixSeconds: Int64(unix / 1000))
        }
    }

    private func fetch(clockCorrectionSeconds: Int64) {
        let unixSeconds = Int64(unixMilliseconds() / 1000) + clockCorrectionSeconds
        source.fetch(unixSeconds: max(0, unixSeconds)) { self.finish($0) }
    }

    private func finish(_ result: ProviderTokenFetch) {
        let (now, unix) = (monotonicMilliseconds(), unixMilliseconds())
        let (outcome, waiting) = shared.withLock { shared in
            let outcome = shared.state.fetched(result, now: now, unixSeconds: Int64(unix / 1000), random: &shared.random)
            defer { shared.waiting = [] }
            return (outcome, shared.waiting)
        }
        for completion in waiting { completion(outcome) }
    }
}
