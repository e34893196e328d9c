internal import COpenSSL

/// Reads and writes PEM in memory with OpenSSL's BIOs.
enum PEMText {
    /// Lends a BIO that reads `text`.
    static func reading<Result>(_ text: String, _ read: (OpaquePointer) -> Result?) -> Result? {
        var text = text
        return text.withUTF8 { bytes in
            guard let bio = unsafe BIO_new_mem_buf(bytes.baseAddress, Int32(bytes.count)) else { return nil }
            defer { unsafe BIO_free(bio) }
            return unsafe read(bio)
        }
    }

    /// The text that `write` writes into a BIO; nil when it does not return 1.
    static func written(_ write: (OpaquePointer) -> Int32) -> String? {
        guard let bio = unsafe BIO_new(BIO_s_mem()) else { return nil }
        defer { unsafe BIO_free(bio) }
        guard unsafe write(bio) == 1 else { return nil }
        var bytes: UnsafePointer<UInt8>?
        let count = unsafe deskgate_bio_bytes(bio, &bytes)
        return unsafe String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
    }
}
