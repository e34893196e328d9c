package import Crypto
package import JSON

/// Writes JSON Web Tokens (RFC 7519) in the compact form of signed ones (RFC 7515 section 7.1).
package enum JSONWebToken {
    /// Signs claims.
    ///
    /// The result is a credential: it belongs in one request and never in a log.
    /// - Parameters:
    ///   - header: the members besides `alg`, which is the key's and comes first; giving it here traps.
    ///   - claims: in the order in which they are written; times are whole seconds since 1970.
    /// - Throws: when OpenSSL fails.
    package static func signed(
        header: JSONObject = [:], claims: JSONObject, with key: some SigningKey
    ) throws(CryptoError) -> String {
        var wholeHeader: JSONObject = ["alg": .string(type(of: key).algorithm)]
        for member in header.members { wholeHeader.append(member.value, forKey: member.key) }
        let message = "\(encoded(wholeHeader)).\(encoded(claims))"
        let signature = try key.sign(message.utf8.span)
        return "\(message).\(Base64URL.encode(signature.span))"
    }

    private static func encoded(_ object: JSONObject) -> String {
        let text = JSONValue.object(object).serialized()
        return Base64URL.encode(text.span)
    }
}
