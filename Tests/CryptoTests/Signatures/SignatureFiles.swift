import TestSupport
import Testing

/// Files for the openssl command, which signs and verifies independently of our code, in its own process with keys in PEM.
struct SignatureFiles {
    private let directory: TemporaryDirectory

    init(_ key: TestKey, message: [UInt8]) throws {
        directory = try TemporaryDirectory()
        try directory.write("private", key.privatePEM)
        try directory.write("public", key.publicPEM)
        try directory.write("message", message)
    }

    /// Whether the command verifies a signature in OpenSSL's form.
    func accept(_ signature: [UInt8]) throws -> Bool {
        try directory.write("signature", signature)
        let run = try Command(
            "openssl", "dgst", "-sha256", "-verify", directory.path("public"), "-signature", directory.path("signature"),
            directory.path("message"))
        return run.status == 0 && run.output == "Verified OK\n"
    }

    /// A signature made by the command, in OpenSSL's form.
    func sign() throws -> [UInt8] {
        let run = try Command(
            "openssl", "dgst", "-sha256", "-sign", directory.path("private"), "-out", directory.path("made"), "-hex",
            directory.path("message"))
        #expect(run.status == 0)
        // The output has the form HASHES(FILE)= HEX.
        let text = try directory.read("made").split(separator: " ").last ?? ""
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\n") }
        return stride(from: 0, to: digits.count, by: 2).compactMap {
            UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)
        }
    }
}
