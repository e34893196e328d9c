import Core
import TestSupport
import Testing
import Time

/// Long random sequences of events during which the guarantees must hold.
struct ProviderTokenPropertyTests {
    private static let minute = TokenLife.minute

    @Test(arguments: 0..<60)
    func `guarantees to the provider and to callers`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        var life = TokenLife(.apns)
        var observer = Observer()
        for _ in 0..<2000 {
            life.pass(UInt64.random(in: 0...4 * Self.minute, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<6: observer.note(life.request(), at: life.now)
            case 6..<8: observer.end(&life, &random)
            case 8: try observer.refuse(&life, &random)
            default:
                if Int.random(in: 0..<10, using: &random) == 0 {
                    _ = life.state.tooManyUpdates(now: life.now, retryAfterMilliseconds: nil, random: &random)
                }
            }
            observer.watch(life)
        }
        #expect(observer.bornAt.count > 10)
        try recovers(life)
    }

    private func recovers(_ life: TokenLife) throws {
        var life = life
        for _ in 0..<200 {
            if life.fetching != nil { life.fetched(.token("last", lifetimeMilliseconds: 60 * Self.minute)) }
            if case .token = life.request() { return }
            life.pass(Self.minute)
        }
        Issue.record("there is no token after 200 minutes")
    }

    /// Records when tokens were fetched and which were rejected.
    private struct Observer {
        var bornAt: [String: MonotonicMilliseconds] = [:]
        var refused: Set<String> = []
        var wasFetching = false
        var startedAt: MonotonicMilliseconds = 0
        /// The times of fetches, without rejections that allow one more fetch.
        var births: [MonotonicMilliseconds] = []
        var clockCorrection: Int64 = 0

        mutating func note(_ got: TokenLife.Got, at now: MonotonicMilliseconds) {
            guard case .token(let text) = got else { return }
            #expect(!refused.contains(text), "a refused token is never handed out again")
            #expect(now - (bornAt[text] ?? 0) < 60 * minute, "no token is older than an hour")
        }

        /// Checks whether a fetch has begun.
        mutating func watch(_ life: TokenLife) {
            if life.fetching != nil, !wasFetching { startedAt = life.now }
            wasFetching = life.fetching != nil
        }

        mutating func end(_ life: inout TokenLife, _ random: inout SeededGenerator) {
            guard life.fetching != nil else { return }
            if Int.random(in: 0..<3, using: &random) == 0 {
                life.fetched(.unavailable(reason: "token_timeout", retryAfterMilliseconds: nil))
                return
            }
            let text = "token \(bornAt.count)"
            bornAt[text] = startedAt
            births.append(startedAt)
            life.fetched(.token(text, lifetimeMilliseconds: 60 * minute))
            // Of the last three, age caused at least one, so they are spread over 20 minutes.
            if births.count >= 3 { #expect(births[births.count - 1] - births[births.count - 3] >= 20 * minute) }
        }

        mutating func refuse(_ life: inout TokenLife, _ random: inout SeededGenerator) throws {
            guard let text = life.tokens.keys.sorted().randomElement(using: &random) else { return }
            let skew = Bool.random(using: &random) ? nil : Int64.random(in: -1000...1000, using: &random)
            let isExpired = Bool.random(using: &random)
            let answer = try life.refused(text, isExpired: isExpired, providerUnixSeconds: skew.map { life.unixSeconds.advanced(by: $0) })
            if answer != .credentialRefused { refused.insert(text) }
        }
    }
}
