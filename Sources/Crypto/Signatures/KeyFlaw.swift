/// What is wrong with the text of a key; it never holds any of it.
package enum KeyFlaw: Error, Equatable {
    /// There is no block that PEM (RFC 7468) begins with.
    case notPEM
    /// It is PEM, but none of it is a key of the kind that is needed: a certificate, say, or the other half of the pair.
    case noKey
    /// It is protected by a passphrase, which nobody could type in.
    case encrypted
    /// The key cannot be read, or its parts don't belong together.
    case damaged
    /// It is another kind of key.
    case wrongType(found: String, needed: String)
    /// It lies on another curve than P-256.
    case wrongCurve(found: String)
    /// It is an RSA key of fewer than 2048 bits.
    case tooShort(bits: Int)
}

extension KeyFlaw: CustomStringConvertible {
    /// A sentence's end, worded to follow the key's name, with the remedy.
    package var description: String {
        switch self {
        case .notPEM: "is not PEM: give the file as it was downloaded, with its BEGIN and END lines"
        case .noKey: "is PEM, but does not hold the key that is needed: a private key begins with BEGIN PRIVATE KEY"
        case .encrypted: "is protected by a passphrase; remove it with: openssl pkey -in FILE -out NEW_FILE"
        case .damaged: "is damaged; download it again or make a new key"
        case .wrongType(let found, let needed): "is a key of type \(found), but \(needed) is needed"
        case .wrongCurve(let found): "is an EC key on the curve \(found), but P-256 is needed"
        case .tooShort(let bits): "is an RSA key of \(bits) bits, but 2048 are needed at least"
        }
    }
}
