import Core
import TestSupport
import Testing
import Time

/// A token state with its own clocks, driven by a test.
struct TokenLife {
    enum Got: Equatable {
        case token(String)
        case wait
        case failure(ProviderTokenFailure)
    }

    static let minute: UInt64 = 60_000

    var state: ProviderTokenState
    var now: MonotonicMilliseconds = 1_000_000
    /// Deskgate's wall clock.
    var unixSeconds: UnixSeconds = 1_700_000_000
    /// The clock correction passed to the running fetch; nil when none runs.
    var fetching: Int64?
    var tokens: [String: ProviderToken] = [:]
    var random = SeededGenerator(seed: 7)

    init(_ policy: ProviderTokenPolicy) {
        state = ProviderTokenState(policy)
    }

    mutating func pass(_ milliseconds: UInt64) {
        now += milliseconds
        unixSeconds += milliseconds / 1000
    }

    mutating func request() -> Got {
        switch state.request(now: now) {
        case .use(let token): return remember(token)
        case .useAndFetch(let token, let correction):
            begin(correction)
            return remember(token)
        case .wait: return .wait
        case .fetchAndWait(let correction):
            begin(correction)
            return .wait
        case .fail(let failure): return .failure(failure)
        }
    }

    @discardableResult
    mutating func fetched(_ result: ProviderTokenFetch) -> Got {
        #expect(fetching != nil, "a fetch was begun")
        fetching = nil
        switch state.fetched(result, now: now, unixSeconds: unixSeconds, random: &random) {
        case .success(let token): return remember(token)
        case .failure(let failure): return .failure(failure)
        }
    }

    /// Requests a token, and fetches one if there is none.
    mutating func obtain(_ text: String, lifetime: UInt64 = 60 * minute) {
        #expect(request() == .wait)
        #expect(fetched(.token(text, lifetimeMilliseconds: lifetime)) == .token(text))
    }

    mutating func refused(_ text: String, isExpired: Bool = true, providerUnixSeconds: UnixSeconds? = nil) throws -> TokenRefusal {
        state.refused(
            try #require(tokens[text]), isExpired: isExpired, providerUnixSeconds: providerUnixSeconds, now: now, unixSeconds: unixSeconds)
    }

    private mutating func begin(_ correction: Int64) {
        #expect(fetching == nil, "there is never more than one fetch")
        fetching = correction
    }

    private mutating func remember(_ token: ProviderToken) -> Got {
        tokens[token.text] = token
        return .token(token.text)
    }
}

extension TokenLife.Got {
    /// The time to wait after a temporary failure.
    var retryAfter: UInt64? {
        if case .failure(let failure) = self, case .unavailable(let wait) = failure.kind { wait } else { nil }
    }

    var reason: String? {
        if case .failure(let failure) = self { failure.reason } else { nil }
    }
}
