import Core
import TestSupport
import Testing
import Threading
import Time

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
    func fetched(unixSeconds: UnixSeconds = 1_700_000_000) throws -> Fetched {
        let results = Monitor<[Fetched]>([])
        fetch(unixSeconds: unixSeconds) { fetch in
            let count = results.update { results in
                results.append(Fetched(fetch))
                return results.count
            }
            if count > 1 { Issue.record("a fetch ended \(count) times") }
        }
        return try #require(results.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.first })
    }
}
