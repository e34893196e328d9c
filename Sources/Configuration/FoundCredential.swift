/// Describes a file that was found in place of a certificate or a private key in PEM. The result is the end of a message; empty when the
/// kind is unknown.
enum FoundCredential {
    private static let kinds = [
        "CERTIFICATE": "a certificate", "CERTIFICATE REQUEST": "a certificate request; give the certificate that was issued for it",
        "NEW CERTIFICATE REQUEST": "a certificate request; give the certificate that was issued for it", "PUBLIC KEY": "a public key",
        "PRIVATE KEY": "a private key", "EC PRIVATE KEY": "a private key", "RSA PRIVATE KEY": "a private key",
        "ENCRYPTED PRIVATE KEY": withPassphrase, "OPENSSH PRIVATE KEY": "a key of SSH",
    ]
    private static let withPassphrase = "a private key with a passphrase; remove that with: openssl pkey -in FILE -out NEW"

    /// Describes the first certificate or key block of a PEM text, unless it has the expected kind.
    /// - Parameter expected: the end of the block labels of the expected kind.
    static func hint(in text: String, expected: String) -> String {
        let labels = text.split(separator: "-----BEGIN ").dropFirst(text.hasPrefix("-----BEGIN ") ? 0 : 1).compactMap { block in
            block.firstRange(of: "-----").map { String(block[..<$0.lowerBound]) }
        }
        guard let label = labels.first(where: { kinds[$0] != nil }), let kind = kinds[label] else { return "" }
        // In the older format, a header of the block shows the encryption (RFC 1421).
        if label.hasSuffix("PRIVATE KEY"), kind == withPassphrase || text.contains("Proc-Type: 4,ENCRYPTED") {
            return "; the file holds \(withPassphrase)"
        }
        return label.hasSuffix(expected) ? "" : "; the file holds \(kind)"
    }

    /// Describes a binary format (X.690, DER). All of them begin with a SEQUENCE; in PKCS #12, version 3 follows (RFC 7292).
    static func hint(in bytes: [UInt8], isSecret: Bool) -> String {
        guard bytes.count > 1, bytes[0] == 0x30 else { return "" }
        let length = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
        if bytes.dropFirst(2 + length).starts(with: [2, 1, 3]) {
            return "; the file is PKCS #12; make PEM of it with: openssl pkcs12 -in FILE -nodes -out NEW"
        }
        return "; if the file is DER, make PEM of it with: openssl \(isSecret ? "pkey" : "x509") -inform der -in FILE -out NEW"
    }
}
