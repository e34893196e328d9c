internal import COpenSSL

extension KeyHandle {
    private static let shortestRSABits = 2048

    /// Makes sure that it is an EC key on P-256, the only kind that ES256 has (RFC 7518 section 3.4).
    func requireP256() throws(KeyFlaw) {
        guard unsafe EVP_PKEY_is_a(pointer, "EC") == 1 else { throw .wrongType(found: typeName, needed: "an EC key on P-256") }
        guard curveName == "prime256v1" else { throw .wrongCurve(found: curveName) }
    }

    /// Makes sure that it is an RSA key as long as RS256 demands (RFC 7518 section 3.3).
    func requireRSA() throws(KeyFlaw) {
        guard unsafe EVP_PKEY_is_a(pointer, "RSA") == 1 else { throw .wrongType(found: typeName, needed: "an RSA key") }
        let bits = unsafe Int(EVP_PKEY_get_bits(pointer))
        guard bits >= Self.shortestRSABits else { throw .tooShort(bits: bits) }
    }

    /// Makes sure that the private part belongs to the public one, which reading doesn't: with a damaged key everything that is signed
    /// would be refused.
    func requireWholePair() throws(KeyFlaw) {
        let probe = InlineArray<32, UInt8>(repeating: 0x5A)
        guard let signature = try? sign(probe.span), verify(signature.span, probe.span) else { throw .damaged }
    }

    private var typeName: String {
        guard let name = unsafe EVP_PKEY_get0_type_name(pointer) else { return "unknown" }
        return unsafe String(cString: name)
    }

    private var curveName: String {
        unsafe withUnsafeTemporaryAllocation(of: CChar.self, capacity: 64) { buffer in
            var length = 0
            guard let start = buffer.baseAddress, unsafe EVP_PKEY_get_group_name(pointer, start, buffer.count, &length) == 1 else {
                return "unknown"
            }
            return unsafe String(cString: start)
        }
    }
}
