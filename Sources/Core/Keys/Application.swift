package import Crypto
package import Time

/// An app whose users may use the chat, with the secrets that mint and verify their keys.
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
        /// The last second in which the key verifies; nil for unlimited.
        package let notAfter: UnixSeconds?

        package init(id: UInt32, secret: HMACKey<SHA256>, state: State = .active, notAfter: UnixSeconds? = nil) {
            self.id = id
            self.secret = secret
            self.state = state
            self.notAfter = notAfter
        }

        /// Whether the key may mint at this time. Ignores clock skew.
        func mints(at now: UnixSeconds) -> Bool { state == .active && !hasEnded(at: now) }

        /// Whether the key has expired at this time. Ignores clock skew.
        package func hasEnded(at now: UnixSeconds) -> Bool { notAfter.map { now > $0 } ?? false }
    }

    /// The app_id in UTF-8, compared byte by byte.
    package let id: [UInt8]
    /// The id as text, precomputed so that logging a denial takes the same time for existing and unknown apps.
    package let name: String
    /// Identifies the app in revocations.
    package let digest: KeyedDigest
    /// The keys in ascending order of ids; empty only when the app's backend alone decides.
    package let keys: [Key]
    package let life: KeyLifetime
    /// The end of shadow mode, in which authorizations that would be denied are answered 200; nil if shadow mode is off.
    package let shadowUntil: UnixSeconds?
    package let verification: VerifyMode
    /// The key of user references in logs for an app without keys.
    let fallbackReferenceSecret: HMACKey<SHA256>?

    /// - Parameter signingSecret: signs calls to the app's backend; for an app without `keys`, also the key of user references in logs.
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

    /// Returns the default key for minting: the minting key with the largest id, which is the newest.
    package func mintingKey(at now: UnixSeconds) -> Key? { keys.last { $0.mints(at: now) } }
}

/// The lifetime limits of one app's security keys that differ from the defaults for all apps.
package struct KeyLifetime: Sendable, Equatable {
    /// The default lifetime of a key: one week. `deskgate init` also writes it as the maximum lifetime.
    package static let standardSeconds: UInt64 = 7 * 24 * 3600

    /// The maximum time since a key was issued; nil for the limit of the policy.
    package var maximumSeconds: UInt64?
    /// The lifetime of a key when the caller sets none; 0 for unlimited, nil for the default of all apps.
    package var defaultSeconds: UInt64?

    package init(maximumSeconds: UInt64? = nil, defaultSeconds: UInt64? = nil) {
        self.maximumSeconds = maximumSeconds
        self.defaultSeconds = defaultSeconds
    }
}

/// Limits of key validity in addition to the expiry in the keys.
package struct KeyPolicy: Sendable, Equatable {
    package var clockSkewSeconds: UInt64
    /// The maximum time since a key was issued; nil for unlimited.
    package var maximumLifetimeSeconds: UInt64?

    package init(clockSkewSeconds: UInt64 = 60, maximumLifetimeSeconds: UInt64? = nil) {
        self.clockSkewSeconds = clockSkewSeconds
        self.maximumLifetimeSeconds = maximumLifetimeSeconds
    }

    package func narrowed(by life: KeyLifetime) -> KeyPolicy {
        KeyPolicy(clockSkewSeconds: clockSkewSeconds, maximumLifetimeSeconds: life.maximumSeconds ?? maximumLifetimeSeconds)
    }

    /// Returns the end of a verified key's validity: its own expiry, the maximum lifetime or the expiry of its secret, whichever is first.
    /// Ignores clock skew. Returns `SecurityKey.latestTime` for an unlimited key.
    package func end(of key: SecurityKey, in application: Application) -> UnixSeconds {
        var end = SecurityKey.latestTime
        if key.expiresAt != 0 { end = min(end, key.expiresAt) }
        if let maximumLifetimeSeconds { end = min(end, key.issuedAt.saturating(adding: maximumLifetimeSeconds)) }
        if let notAfter = application.keys.first(where: { $0.id == key.keyID })?.notAfter { end = min(end, notAfter) }
        return end
    }

    /// Whether a secret that verifies until `notAfter` has expired, taking clock skew into account.
    package func isOver(_ notAfter: UnixSeconds?, now: UnixSeconds) -> Bool {
        notAfter.map { now.elapsed(since: $0) > clockSkewSeconds } ?? false
    }

    /// Returns the reason why a verified key is not valid at `now`; nil when it is valid.
    /// - Parameter notAfter: the expiry of the secret that minted the key.
    package func denial(of key: SecurityKey, notAfter: UnixSeconds? = nil, now: UnixSeconds) -> Denial? {
        if key.issuedAt.elapsed(since: now) > clockSkewSeconds { return .issuedInFuture }
        if key.expiresAt != 0, now.elapsed(since: key.expiresAt) > clockSkewSeconds { return .expired }
        return denial(issuedAt: key.issuedAt, notAfter: notAfter, now: now)
    }

    /// Returns the reason why the age or the secret invalidates a key with this issue time, or a credential derived from the key; nil when
    /// it is valid.
    /// - Parameter notAfter: the expiry of the secret that minted the key.
    func denial(issuedAt: UnixSeconds, notAfter: UnixSeconds?, now: UnixSeconds) -> Denial? {
        // Only subtracts, so that extreme clock values and limits cannot overflow.
        let age = now.elapsed(since: issuedAt)
        if let maximumLifetimeSeconds, age > maximumLifetimeSeconds, age - maximumLifetimeSeconds > clockSkewSeconds { return .tooOld }
        // Checked last, so that this reason is reported only if the expiry of the secret is the only cause.
        return isOver(notAfter, now: now) ? .keyRetired : nil
    }
}
