internal import CPostgres
internal import Crypto
internal import Glibc

/// An address as libpq parses it, with secrets separated from the other parameters.
struct AddressText {
    private static let secretKeywords = ["password", "sslpassword"]

    private(set) var options: [String: String] = [:]
    private(set) var secrets: [String: SecretBytes] = [:]

    /// Parses a URL or `keyword=value` text. Erases every copy of a secret except the returned ones.
    static func parse(_ text: Span<UInt8>) throws(PostgresError) -> AddressText {
        guard !text.isEmpty, text.count <= 1 << 16 else { throw PostgresError(.settings, "the address is empty or too long") }
        for index in text.indices where text[index] == 0 { throw PostgresError(.settings, "the address contains a NUL") }
        if let scheme = foreignScheme(text) {
            throw PostgresError(.settings, "the address begins with \(scheme), but the store is PostgreSQL; give \(sample)")
        }
        let terminated = SecretBytes(count: text.count + 1) { bytes in
            for index in text.indices { bytes[index] = text[index] }
        }
        return try terminated.withSpan { bytes throws(PostgresError) in try read(bytes) }
    }

    private static let sample = "postgres://USER:PASSWORD@HOST/DATABASE"
    /// Shorter than any secret that Deskgate generates, so that an error never quotes a secret.
    private static let longestScheme = 32

    /// Returns a scheme that libpq does not support: another database's, or a scheme of a library such as JDBC or SQLAlchemy.
    private static func foreignScheme(_ text: Span<UInt8>) -> String? {
        let beginning = String(decoding: (0..<min(text.count, longestScheme)).map { text[$0] }, as: UTF8.self)
        guard let end = beginning.firstRange(of: "://") else { return nil }
        let scheme = beginning[..<end.lowerBound]
        guard scheme.utf8.allSatisfy({ isOfScheme($0) }), !["postgres", "postgresql"].contains(scheme) else { return nil }
        return "\(scheme)://"
    }

    private static func isOfScheme(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "+-.:".utf8.contains(byte)
        }
    }

    private static func read(_ text: Span<UInt8>) throws(PostgresError) -> AddressText {
        var complaint: UnsafeMutablePointer<CChar>?
        let list = unsafe text.withUnsafeBytes { bytes in
            unsafe PQconninfoParse(bytes.assumingMemoryBound(to: CChar.self).baseAddress, &complaint)
        }
        guard let list = unsafe list else {
            defer { unsafe PQfreemem(complaint) }
            let text = unsafe complaint.map { unsafe String(cString: $0) }
            throw text.flatMap(foreignParameter) ?? misread(text.map(withoutQuotation) ?? "no memory")
        }
        defer { unsafe PQconninfoFree(list) }
        var address = AddressText()
        var next = unsafe list
        while let keyword = unsafe next.pointee.keyword {
            if let value = unsafe next.pointee.val { unsafe address.add(String(cString: keyword), value) }
            unsafe next += 1
        }
        return address
    }

    /// Copies a value, and erases libpq's copy if the value is secret.
    private mutating func add(_ keyword: String, _ value: UnsafeMutablePointer<CChar>) {
        let length = unsafe strlen(value)
        if length == 0 { return }
        guard Self.secretKeywords.contains(keyword) else {
            options[keyword] = unsafe String(cString: value)
            return
        }
        let bytes = unsafe UnsafeMutableRawBufferPointer(start: value, count: length)
        secrets[keyword] = SecretBytes(count: length + 1) { copy in
            for index in 0..<length { copy[index] = unsafe bytes[index] }
        }
        unsafe explicit_bzero(value, length)
    }

    /// URL parameters of other libraries. Errors do not quote other names, because these may be part of a password.
    private static let schemaParameters = ["schema", "currentSchema", "search_path"]
    private static let foreignParameters =
        schemaParameters + ["connection_limit", "pgbouncer", "pool_timeout", "prepareThreshold", "serverVersion", "ssl", "sslaccept"]

    /// Returns the error for a parameter that other libraries support and libpq does not; nil for any other message.
    private static func foreignParameter(_ complaint: String) -> PostgresError? {
        guard let name = foreignParameters.first(where: { complaint.contains("query parameter: \"\($0)\"") }) else { return nil }
        let instead = schemaParameters.contains(name) ? "; to select a schema, use ?options=-csearch_path%3DNAME" : ""
        return PostgresError(.settings, "the address has the parameter \(name), which PostgreSQL does not know; remove it\(instead)")
    }

    /// Returns the beginning of libpq's message, up to the quoted part of the address.
    private static func withoutQuotation(_ complaint: String) -> String {
        let beginning = complaint.prefix { $0 != "\"" && $0 != ":" && !$0.isNewline }
        return beginning.last == " " ? String(beginning.dropLast()) : String(beginning)
    }

    /// Returns the error for an invalid address. It contains no part of the address.
    static func misread(_ problem: String) -> PostgresError {
        PostgresError(
            .settings, "the address is no PostgreSQL URL: \(problem); percent-encode :/?#[]@ and % in user, password and database")
    }
}
