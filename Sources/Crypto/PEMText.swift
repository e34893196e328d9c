internal import COpenSSL

/// Reads and writes PEM (RFC 7468) in memory with OpenSSL's BIOs.
package enum PEMText {
    /// Restores PEM that has lost its line feeds: environment variables and forms replace them with a literal `\n` or a space, or put the
    /// text in quotes. Removes text outside the blocks. Returns text without a block, or with headers in a block, unchanged.
    package static func restored(_ text: String) -> String {
        let lined = text.replacing("\\r", with: "").replacing("\\n", with: "\n")
        var (lines, rest) = ([Substring](), lined[...])
        while let begin = rest.firstRange(of: "-----BEGIN "), let label = rest[begin.upperBound...].firstRange(of: "-----"),
            let end = rest[label.upperBound...].firstRange(of: "-----END "),
            let last = rest[end.upperBound...].firstRange(of: "-----")
        {
            let body = rest[label.upperBound..<end.lowerBound]
            if body.contains(":") { return text }
            lines.append(rest[begin.lowerBound..<label.upperBound])
            lines += body.split { $0.isWhitespace || $0 == "\\" }
            lines.append(rest[end.lowerBound..<last.upperBound])
            rest = rest[last.upperBound...]
        }
        return lines.isEmpty ? text : lines.joined(separator: "\n") + "\n"
    }

    /// Passes a BIO that reads `text` to `read`.
    static func reading<Result>(_ text: String, _ read: (OpaquePointer) -> Result?) -> Result? {
        var text = text
        return text.withUTF8 { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe read(bio)
        }
    }

    /// Returns the text that `write` writes to a BIO; nil when `write` does not return 1.
    static func written(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
        defer { unsafe BIO_free(bio) }
        guard unsafe write(bio) == 1 else { return nil }
        var bytes: UnsafePointer<UInt8>?
        let count = unsafe deskgate_bio_bytes(bio, &bytes)
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
