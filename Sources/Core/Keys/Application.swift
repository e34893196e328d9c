package import Crypto
package import Time

/// An app that may use the chat, with the secrets that make and prove its users' keys.
package struct Application: Sendable {
    package struct Key: Sendable {
        package enum State: String, Sendable, CaseIterable {
            /// It verifies security keys, and new ones may be minted with it.
            case active
            /// It verifies security keys, and none are minted with it.
            case verifyOnly = "verify_only"
        }

        /// Unique within the app, and part of each security key made with it.
        package let id: UInt32
        package let secret: HMACKey<SHA256>
        package let state: State
        /// The last second in which it verifies anything; nil for no end.
        package let notAfter: UnixSeconds?

        package init(id: UInt32, secret: HMACKey<SHA256>, state: State = .active, notAfter: UnixSeconds? = nil) {
            self.id = id
            self.secret = secret
            self.state = state
            self.notAfter = notAfter
        }

        /// Whether new security keys may be made with it: it is active, and its time is not over, with no regard to clocks that differ.
        func mints(at now: UnixSeconds) -> Bool { state == .active && !hasEnded(at: now) }

        /// Whether its time is over, with no regard to clocks that differ.
        package func hasEnded(at now: UnixSeconds) -> Bool { notAfter.map { now > $0 } ?? false }
    }

    /// The app's id: UTF-8, compared byte by byte.
    package let id: [UInt8]
    /// The id as text, made once: a denial that is logged must not take longer because the app exists.
    package let name: String
    /// Names it where revocations are looked up.
    package let digest: KeyedDigest
    /// By ascending id; none only where its backend alone decides.
    package let keys: [Key]
    /// The life of its users' keys, where it differs from other apps.
    package let life: KeyLife
    /// Until then its authorizations are answered 200 where they would be denied; nil denies.
    package let shadowUntil: UnixSeconds?
    /// The authority over its users: key, backend or both.
    package let verification: VerifyMode
    /// Names its people in logs while it has no key.
    let spareSecret: HMACKey<SHA256>?

    /// Makes an app; two keys of one id are a programmer's mistake and trap.
    /// - Parameter signingSecret: signs the calls of its backend, and names its people in logs if it has no key.
    package init(
        id: String, keys: [Key], life: KeyLife = KeyLife(), shadowUntil: UnixSeconds? = nil, verification: VerifyMode = .key,
        signingSecret: StandardWebhookSecret? = nil
    ) {
        self.id = Array(id.utf8)
        name = id
        digest = RevocationDigests.app(id.utf8.span)
        self.keys = keys.sorted { $0.id < $1.id }
        self.life = life
        self.shadowUntil = shadowUntil
        self.verification = verification
        spareSecret = signingSecret?.key
        precondition(Set(keys.map(\.id)).count == keys.count, "an app's key ids are unique")
    }

    /// When its shadow mode ends; nil when it is off at `now`.
    package func shadowEnd(at now: UnixSeconds) -> UnixSeconds? { shadowUntil.flatMap { now < $0 ? $0 : nil } }

    /// The index in `keys` of a key id.
    func index(of keyID: UInt32) -> Int? {
        for index in keys.indices where keys[index].id == keyID {
            return index
        }
        return nil
    }

    /// The key that mints by default: of those that may mint, the one with the largest id, which is the newest.
    package func mintingKey(at now: UnixSeconds) -> Key? { keys.last { $0.mints(at: now) } }
}

/// The life of an app's security keys, where it differs from other apps.
package struct KeyLife: Sendable, Equatable {
    /// The default life of a key in seconds: a week. `init` also writes it as the longest life.
    package static let standardSeconds: UInt64 = 7 * 24 * 3600

    /// The oldest that a key of the app may be, in seconds since its issue; nil for as old as the policy allows.
    package var longestSeconds: UInt64?
    /// The default life of the app's keys in seconds; 0 for ever, nil for that of other apps.
    package var defaultSeconds: UInt64?

    /// Makes bounds; by default those of all apps hold.
    package init(longestSeconds: UInt64? = nil, defaultSeconds: UInt64? = nil) {
        self.longestSeconds = longestSeconds
        self.defaultSeconds = defaultSeconds
    }
}

package struct KeyPolicy: Sendable, Equatable {
    /// The tolerated difference of clocks in seconds.
    package var clockSkewSeconds: UInt64
    /// The oldest that a key may be, in seconds since its issue; nil for any age.
    package var longestLifeSeconds: UInt64?

    /// Makes a policy; the defaults are the product's.
    package init(clockSkewSeconds: UInt64 = 60, longestLifeSeconds: UInt64? = nil) {
        self.clockSkewSeconds = clockSkewSeconds
        self.longestLifeSeconds = longestLifeSeconds
    }

    /// The policy for an app whose keys live so long.
    package func narrowed(by life: KeyLife) -> KeyPolicy {
        KeyPolicy(clockSkewSeconds: clockSkewSeconds, longestLifeSeconds: life.longestSeconds ?? longestLifeSeconds)
    }

    /// When a genuine key of an app ends: by its own time, the longest life or the end of its secret, whichever is first. Clocks that
    /// differ are not considered. A key without an end has the latest time that a key can hold.
    package func end(of key: SecurityKey, in application: Application) -> UnixSeconds {
        var end = SecurityKey.latestTime
        if key.expiresAt != 0 { end = min(end, key.expiresAt) }
        if let longestLifeSeconds { end = min(end, key.issuedAt.saturating(adding: longestLifeSeconds)) }
        if let notAfter = application.keys.first(where: { $0.id == key.keyID })?.notAfter { end = min(end, notAfter) }
        return end
    }

    /// Whether a secret that verifies until `notAfter` has retired at `now`.
    package func isOver(_ notAfter: UnixSeconds?, now: UnixSeconds) -> Bool {
        notAfter.map { now.elapsed(since: $0) > clockSkewSeconds } ?? false
    }

    /// Returns why a genuine key is not in force at `now`; nil when it is.
    /// - Parameter notAfter: the expiry of the secret that made it.
    package func denial(of key: SecurityKey, notAfter: UnixSeconds? = nil, now: UnixSeconds) -> Denial? {
        if key.issuedAt.elapsed(since: now) > clockSkewSeconds { return .issuedInFuture }
        if key.expiresAt != 0, now.elapsed(since: key.expiresAt) > clockSkewSeconds { return .expired }
        return denial(issuedAt: key.issuedAt, notAfter: notAfter, now: now)
    }

    /// Returns why a key issued then, or a credential derived from it, is not in force at `now` because of its age or its secret; nil when
    /// it is.
    /// - Parameter notAfter: the expiry of the secret that made the key.
    func denial(issuedAt: UnixSeconds, notAfter: UnixSeconds?, now: UnixSeconds) -> Denial? {
        // Never adds, so that no clock and no limit, however wrong, can overflow.
        let age = now.elapsed(since: issuedAt)
        if let longestLifeSeconds, age > longestLifeSeconds, age - longestLifeSeconds > clockSkewSeconds { return .tooOld }
        // Last, so that it counts only people whom the end of the secret keeps out.
        return isOver(notAfter, now: now) ? .keyRetired : nil
    }
}
