package import Crypto
package import Time

/// An app that may use the chat, with the secrets that mint and verify its users' keys.
package struct Application: Sendable {
    package struct Key: Sendable {
        package enum State: String, Sendable, CaseIterable {
            /// Verifies and mints security keys.
            case active
            /// Only verifies security keys.
            case verifyOnly = "verify_only"
        }

        /// Unique within the app; part of each security key.
        package let id: UInt32
        package let secret: HMACKey<SHA256>
        package let state: State
        /// The last second in which the key verifies; nil: no end.
        package let notAfter: UnixSeconds?

        package init(id: UInt32, secret: HMACKey<SHA256>, state: State = .active, notAfter: UnixSeconds? = nil) {
            self.id = id
            self.secret = secret
            self.state = state
            self.notAfter = notAfter
        }

        /// Ignores clock skew.
        func mints(at now: UnixSeconds) -> Bool { state == .active && !hasEnded(at: now) }

        /// Ignores clock skew.
        package func hasEnded(at now: UnixSeconds) -> Bool { notAfter.map { now > $0 } ?? false }
    }

    /// UTF-8, compared byte by byte.
    package let id: [UInt8]
    /// The id as text, made once, so that logging a denial does not take longer for an app that exists.
    package let name: String
    /// Identifies the app in revocations.
    package let digest: KeyedDigest
    /// By rising id; empty only when the app's backend alone decides.
    package let keys: [Key]
    package let life: KeyLifetime
    /// Until this time, authorizations that would be denied are answered 200; nil: they are denied.
    package let shadowUntil: UnixSeconds?
    package let verification: VerifyMode
    /// The key of the references to users in logs, while the app has no other.
    let fallbackReferenceSecret: HMACKey<SHA256>?

    /// - Parameter signingSecret: signs the calls of the app's backend; without `keys`, also the key of references to users in logs.
    package init(
        id: String, keys: [Key], life: KeyLifetime = KeyLifetime(), shadowUntil: UnixSeconds? = nil, verification: VerifyMode = .key,
        signingSecret: StandardWebhookSecret? = nil
    ) {
        self.id = Array(id.utf8)
        name = id
        digest = RevocationDigests.app(id.utf8.span)
        self.keys = keys.sorted { $0.id < $1.id }
        self.life = life
        self.shadowUntil = shadowUntil
        self.verification = verification
        fallbackReferenceSecret = signingSecret?.key
        precondition(Set(keys.map(\.id)).count == keys.count, "an app's key ids are unique")
    }

    /// Returns the end of shadow mode; nil when it is off at `now`.
    package func shadowEnd(at now: UnixSeconds) -> UnixSeconds? { shadowUntil.flatMap { now < $0 ? $0 : nil } }

    func index(of keyID: UInt32) -> Int? {
        for index in keys.indices where keys[index].id == keyID {
            return index
        }
        return nil
    }

    /// Returns the default key for minting: of those that may mint, the one with the largest id, which is the newest.
    package func mintingKey(at now: UnixSeconds) -> Key? { keys.last { $0.mints(at: now) } }
}

/// The life of one app's security keys, where it differs from other apps.
package struct KeyLifetime: Sendable, Equatable {
    /// The default life of a key: a week. `deskgate init` also writes it as the longest life.
    package static let standardSeconds: UInt64 = 7 * 24 * 3600

    /// The longest time since a key's issue; nil: as the policy says.
    package var maximumSeconds: UInt64?
    /// The life of a key for which the caller gives none; 0: unlimited, nil: as for other apps.
    package var defaultSeconds: UInt64?

    package init(maximumSeconds: UInt64? = nil, defaultSeconds: UInt64? = nil) {
        self.maximumSeconds = maximumSeconds
        self.defaultSeconds = defaultSeconds
    }
}

/// Limits of key validity beyond what the keys say themselves.
package struct KeyPolicy: Sendable, Equatable {
    package var clockSkewSeconds: UInt64
    /// The longest time since a key's issue; nil: any.
    package var maximumLifetimeSeconds: UInt64?

    package init(clockSkewSeconds: UInt64 = 60, maximumLifetimeSeconds: UInt64? = nil) {
        self.clockSkewSeconds = clockSkewSeconds
        self.maximumLifetimeSeconds = maximumLifetimeSeconds
    }

    package func narrowed(by life: KeyLifetime) -> KeyPolicy {
        KeyPolicy(clockSkewSeconds: clockSkewSeconds, maximumLifetimeSeconds: life.maximumSeconds ?? maximumLifetimeSeconds)
    }

    /// Returns the end of a verified key: its own expiry, the longest life or the end of its secret, whichever is first. Ignores clock
    /// skew. A key without an end returns `SecurityKey.latestTime`.
    package func end(of key: SecurityKey, in application: Application) -> UnixSeconds {
        var end = SecurityKey.latestTime
        if key.expiresAt != 0 { end = min(end, key.expiresAt) }
        if let maximumLifetimeSeconds { end = min(end, key.issuedAt.saturating(adding: maximumLifetimeSeconds)) }
        if let notAfter = application.keys.first(where: { $0.id == key.keyID })?.notAfter { end = min(end, notAfter) }
        return end
    }

    /// Whether a secret that verifies until `notAfter` has expired, considering clock skew.
    package func isOver(_ notAfter: UnixSeconds?, now: UnixSeconds) -> Bool {
        notAfter.map { now.elapsed(since: $0) > clockSkewSeconds } ?? false
    }

    /// Returns why a verified key is not valid at `now`; nil when it is.
    /// - Parameter notAfter: the end of the secret that made it.
    package func denial(of key: SecurityKey, notAfter: UnixSeconds? = nil, now: UnixSeconds) -> Denial? {
        if key.issuedAt.elapsed(since: now) > clockSkewSeconds { return .issuedInFuture }
        if key.expiresAt != 0, now.elapsed(since: key.expiresAt) > clockSkewSeconds { return .expired }
        return denial(issuedAt: key.issuedAt, notAfter: notAfter, now: now)
    }

    /// Returns why a key with this time of issue, or a credential derived from it, is not valid because of its age or its secret; nil when
    /// it is.
    /// - Parameter notAfter: the end of the secret that made the key.
    func denial(issuedAt: UnixSeconds, notAfter: UnixSeconds?, now: UnixSeconds) -> Denial? {
        // Never adds, so that no clock and no limit, however wrong, can overflow.
        let age = now.elapsed(since: issuedAt)
        if let maximumLifetimeSeconds, age > maximumLifetimeSeconds, age - maximumLifetimeSeconds > clockSkewSeconds { return .tooOld }
        // Last, so that it counts only people whom the end of the secret keeps out.
        return isOver(notAfter, now: now) ? .keyRetired : nil
    }
}
