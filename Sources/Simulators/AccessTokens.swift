internal import Bytes
internal import Crypto
internal import Threading
internal import Time

final class AccessTokens: Sendable {
    enum Status {
        case valid, expired, unknown
    }

    private static let memory = 1000

    private let expiries = Monitor<[String: UnixSeconds]>([:])
    private let prefix: String
    let lifetimeSeconds: UInt64

    init(prefix: String, lifetimeSeconds: UInt64) {
        self.prefix = prefix
        self.lifetimeSeconds = lifetimeSeconds
    }

    func issue(now: UnixSeconds) -> String {
        let token = prefix + RandomText.hexadecimal(bytes: 24)
        expiries.withLock { expiries in
            if expiries.count >= Self.memory { expiries.removeAll() }
            expiries[token] = now + lifetimeSeconds
        }
        return token
    }

    func status(of token: String?, now: UnixSeconds) -> Status {
        guard let token, let expiry = expiries.withLock({ $0[token] }) else { return .unknown }
        return now < expiry ? .valid : .expired
    }

    func revokeAll() {
        expiries.withLock { $0.removeAll() }
    }
}

/// Unguessable random texts, for identifiers and secrets of simulators.
enum RandomText {
    /// Returns `count` random bytes in lower-case hexadecimal.
    static func hexadecimal(bytes count: Int) -> String {
        var bytes = [UInt8](repeating: 0, count: count)
        var span = bytes.mutableSpan
        do throws(CryptoError) {
            try fillWithRandomBytes(&span)
        } catch {
            fatalError(error.description)
        }
        return Hexadecimal.text(bytes.span)
    }

    /// Returns a UUID of version 4 (RFC 9562 section 5.4) in lower case.
    static func uuid() -> String {
        var digits = Array(hexadecimal(bytes: 16))
        digits[12] = "4"
        digits[16] = "8"
        let groups = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }
        return groups.joined(separator: "-")
    }
}
