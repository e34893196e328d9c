/// A private key that signs in the form that JSON Web Signatures have (RFC 7518 section 3); any thread may use it at any time.
package protocol SigningKey: Sendable {
    /// The name that RFC 7518 section 3.1 gives the algorithm.
    static var algorithm: String { get }

    /// Signs a message; throws when OpenSSL fails.
    func sign(_ message: Span<UInt8>) throws(CryptoError) -> [UInt8]
}

/// A public key that verifies what the `SigningKey` of its algorithm has signed; any thread may use it at any time.
package protocol VerifyingKey: Sendable {
    /// The name that RFC 7518 section 3.1 gives the algorithm.
    static var algorithm: String { get }

    /// Whether the signature is that of the message; a malformed one is not.
    func verify(_ signature: Span<UInt8>, _ message: Span<UInt8>) -> Bool
}
