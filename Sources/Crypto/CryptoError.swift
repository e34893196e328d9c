/// Says which cryptographic operation failed and why; it holds reasons and codes, never keys or messages.
package struct CryptoError: Error, Equatable {
    /// The operation that failed, worded to follow "could not".
    package enum Operation: String, Sendable {
        case fetchHMAC = "load HMAC"
        case keyHMAC = "key an HMAC"
        case beginHMAC = "begin an HMAC"
        case updateHMAC = "extend an HMAC"
        case finishHMAC = "finish an HMAC"
        case random = "generate random bytes"
        case digest = "hash with SHA-256"
        case prepareTLS = "prepare TLS"
        case makeCertificate = "make a certificate"
        case makeKey = "make a key"
        case sign = "sign a message"
    }

    /// The operation that failed.
    package let operation: Operation

    /// What OpenSSL reported, oldest first; empty when it reported nothing.
    package let reasons: [String]
}

extension CryptoError: CustomStringConvertible {
    /// One line for a log.
    package var description: String {
        "could not \(operation.rawValue): " + (reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; "))
    }
}
