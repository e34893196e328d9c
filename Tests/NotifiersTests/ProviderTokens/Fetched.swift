import Core
import Threading
import Time

/// What a fetch came to, comparable.
enum Fetched: Equatable {
    case token(String, lifetime: UInt64)
    case refused(String, providerUnixSeconds: UnixSeconds?)
    case unavailable(String, retryAfter: UInt64?)

    init(_ fetch: ProviderTokenFetch) {
        switch fetch {
        case .token(let text, let lifetime): self = .token(text, lifetime: lifetime)
        case .refused(let reason, let seconds): self = .refused(reason, providerUnixSeconds: seconds)
        case .unavailable(let reason, let wait): self = .unavailable(reason, retryAfter: wait)
        }
    }
}

extension ProviderTokenSource {
    /// Fetches and waits for the end.
    func fetched(unixSeconds: UnixSeconds = 1_700_000_000) -> Fetched {
        let result = Monitor<Fetched?>(nil)
        fetch(unixSeconds: unixSeconds) { fetch in
            result.update { current in
                if current != nil { fatalError("a fetch ends once") }
                current = Fetched(fetch)
            }
        }
        guard let fetched = result.wait(timeoutMilliseconds: 60_000, { $0 }) else { fatalError("a fetch has not ended within a minute") }
        return fetched
    }
}
