internal import Bytes
internal import Crypto

/// Names for people and apps in logs, which tell two apart and whom they mean to nobody else.
///
/// They are keyed with the secret of the lowest key id of the app, or of the first app for one that is not configured, so they are the same after
/// a restart and on every replica until that secret leaves the configuration.
extension Authorizer {
    /// Domain separation: what names people makes no security keys.
    private static let label: StaticString = "deskgate/ref/v1"

    /// Names a person of an app: 12 hexadecimal digits; nil when OpenSSL fails.
    package func userReference(appID: Span<UInt8>, userID: Span<UInt8>) -> String? {
        reference(secret(for: appID), appID, userID)
    }

    /// Names an app that is not configured: 12 hexadecimal digits; nil when OpenSSL fails.
    package func appReference(appID: Span<UInt8>) -> String? {
        let nobody: [UInt8] = []
        return reference(secret(for: appID), appID, nobody.span)
    }

    private func secret(for appID: Span<UInt8>) -> HMACKey<SHA256>? {
        applications.isEmpty ? nil : applications[index(of: appID) ?? 0].keys.first?.secret
    }

    private func reference(_ secret: HMACKey<SHA256>?, _ appID: Span<UInt8>, _ userID: Span<UInt8>) -> String? {
        // The length of the first tells (`ab`, `c`) from (`a`, `bc`).
        let count = UInt32(truncatingIfNeeded: appID.count)
        let length: [4 of UInt8] = [
            UInt8(truncatingIfNeeded: count >> 24), UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 8),
            UInt8(truncatingIfNeeded: count),
        ]
        let code = try? secret?.code { message throws(CryptoError) in
            try message.append(Self.label)
            try message.append(length.span)
            try message.append(appID)
            try message.append(userID)
        }
        return code.map { Hexadecimal.text($0.span.extracting(..<6)) }
    }
}
