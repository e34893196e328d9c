internal import CPostgres
internal import Crypto
internal import Glibc

/// An address as libpq reads it, its secrets apart from everything else.
struct AddressText {
    private static let secretKeywords = ["password", "sslpassword"]

    private(set) var options: [String: String] = [:]
    private(set) var secrets: [String: SecretBytes] = [:]

    /// Reads a URL or `keyword=value` text; every copy of a secret is erased but the ones that are returned.
    static func parse(_ text: Span<UInt8>) throws(PostgresError) -> AddressText {
        guard !text.isEmpty, text.count <= 1 << 16 else { throw PostgresError(.settings, "the address is empty or too long") }
        for index in text.indices where text[index] == 0 { throw PostgresError(.settings, "the address holds a NUL") }
        if let scheme = foreignScheme(text) {
            throw PostgresError(.settings, "the address begins with \(scheme), but the store is PostgreSQL; give \(sample)")
        }
        let terminated = SecretBytes(count: text.count + 1) { bytes in
            for index in text.indices { bytes[index] = text[index] }
        }
        return try terminated.withSpan { bytes throws(PostgresError) in try read(bytes) }
    }

    private static let sample = "postgres://USER:PASSWORD@HOST/DATABASE"
    /// Shorter than any secret that we make, so that none is quoted.
    private static let longestScheme = 32

    /// A beginning that libpq does not know: another database's, or that of a library such as JDBC or SQLAlchemy.
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

    /// Takes a value over, and erases libpq's copy of a secret.
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

    /// Names that other libraries give parameters of a URL. All others may be a part of a password, and are not quoted.
    private static let schemaParameters = ["schema", "currentSchema", "search_path"]
    private static let foreignParameters =
        schemaParameters + ["connection_limit", "pgbouncer", "pool_timeout", "prepareThreshold", "serverVersion", "ssl", "sslaccept"]

    /// The error for a parameter that libpq does not know and another library does; nil for any other complaint.
    private static func foreignParameter(_ complaint: String) -> PostgresError? {
        guard let name = foreignParameters.first(where: { complaint.contains("query parameter: \"\($0)\"") }) else { return nil }
        let instead = schemaParameters.contains(name) ? "; ?options=-csearch_path%3DNAME names the schema" : ""
        return PostgresError(.settings, "the address has the parameter \(name), which PostgreSQL does not know; remove it\(instead)")
    }

    /// The beginning of libpq's message, before the quotation of the address.
    private static func withoutQuotation(_ complaint: String) -> String {
        let beginning = complaint.prefix { $0 != "\"" && $0 != ":" && !$0.isNewline }
        return beginning.last == " " ? String(beginning.dropLast()) : String(beginning)
    }

    /// The error for a misread address. It contains no part of the address.
    static func misread(_ problem: String) -> PostgresError {
        PostgresError(
            .settings, "the address is no PostgreSQL URL: \(problem); percent-encode :/?#[]@ and % in user, password and database")
    }
}
