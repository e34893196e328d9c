/// A hash function that an HMAC is built on; chosen as a type, so that codes of two lengths cannot be mixed up.
package protocol HashFunction {
    /// The name that OpenSSL knows it by, EVP_MAC-HMAC(7).
    static var name: String { get }
}

/// SHA-256, FIPS 180-4; its HMAC has 32 bytes.
package enum SHA256: HashFunction {
    package static var name: String { "SHA256" }
}

/// SHA-1, FIPS 180-4; its HMAC has 20 bytes. For foreign signatures that demand it, never for our own.
package enum SHA1: HashFunction {
    package static var name: String { "SHA1" }
}
