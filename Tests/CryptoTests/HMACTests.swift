import Bytes
import Synchronization
import TestSupport
import Testing

@testable import Crypto

struct HMACTests {
    private static let secret = Array("the secret of these tests, 32 B".utf8)

    private static func code(_ message: [UInt8], under key: HMACKey<SHA256>) throws -> String {
        Hexadecimal.text(try key.code { computation throws(CryptoError) in try computation.append(message.span) }.span)
    }

    @Test(arguments: HMACVector.sha256)
    func sha256(_ vector: HMACVector) throws {
        let code = try Self.code(vector.message, under: HMACKey<SHA256>(secret: vector.key.span))
        #expect(code.count == 64)
        #expect(code.hasPrefix(vector.code))
    }

    @Test(arguments: HMACVector.sha1)
    func sha1(_ vector: HMACVector) throws {
        let key = try HMACKey<SHA1>(secret: vector.key.span)
        let code = try key.code { computation throws(CryptoError) in try computation.append(vector.message.span) }
        #expect(Hexadecimal.text(code.span) == vector.code)
    }

    @Test(arguments: [1, 7, 63, 64, 65])
    func `a message in pieces has the MAC of the whole`(pieceSize: Int) throws {
        let message = [UInt8](0...199)
        let key = try HMACKey<SHA256>(secret: Self.secret.span)
        let code = try key.code { computation throws(CryptoError) in
            for start in stride(from: 0, to: message.count, by: pieceSize) {
                try computation.append(message.span.extracting(start..<min(start + pieceSize, message.count)))
            }
        }
        #expect(Hexadecimal.text(code.span) == (try Self.code(message, under: key)))
    }

    @Test func `a label adds its UTF-8 bytes`() throws {
        let key = try HMACKey<SHA256>(secret: Self.secret.span)
        let code = try key.code { computation throws(CryptoError) in
            let nothing: [UInt8] = []
            try computation.append("deskgate/sk/v1")
            try computation.append(nothing.span)
            try computation.append("é")
            try computation.append("")
        }
        #expect(Hexadecimal.text(code.span) == (try Self.code(Array("deskgate/sk/v1é".utf8), under: key)))
    }

    @Test func `an abandoned computation does not affect the next`() throws {
        let key = try HMACKey<SHA256>(secret: Self.secret.span)
        let message = Array("a message".utf8)
        let expected = try Self.code(message, under: key)
        for length in 0...130 {
            let unfinished = repeated(0x5A, length)
            let abandonment = CryptoError(operation: .updateHMAC, reasons: ["abandoned by the test"])
            #expect(throws: abandonment) {
                try key.code { computation throws(CryptoError) in
                    try computation.append(unfinished.span)
                    throw abandonment
                }
            }
            #expect(try Self.code(message, under: key) == expected)
        }
    }

    @Test func `nested computations are independent`() throws {
        let key = try HMACKey<SHA256>(secret: Self.secret.span)
        try Self.nest(20, under: key)
    }

    /// Computes within a computation, so that more computations run at once than the key has contexts.
    private static func nest(_ depth: Int, under key: HMACKey<SHA256>) throws {
        guard depth > 0 else { return }
        var inner: (any Error)?
        let code = try key.code { computation throws(CryptoError) in
            try computation.append("before")
            do { try nest(depth - 1, under: key) } catch { inner = error }
            try computation.append("after")
        }
        if let inner { throw inner }
        #expect(Hexadecimal.text(code.span) == (try Self.code(Array("beforeafter".utf8), under: key)))
    }

    @Test func `different secrets give different MACs`() throws {
        let other = try HMACKey<SHA256>(secret: Self.secret.reversed().span)
        let key = try HMACKey<SHA256>(secret: Self.secret.span)
        #expect(try Self.code([1], under: key) != Self.code([1], under: other))
    }

    @Test func `many threads share one key`() throws {
        let key = try HMACKey<SHA256>(secret: Self.secret.span)
        let messages = (0..<64).map { repeated(UInt8($0), $0 * 5) }
        let expected = try messages.map { try Self.code($0, under: key) }
        let agreed = Atomic(0)
        onThreads(16) { thread in
            for round in 0..<640 {
                let index = (thread + round) % messages.count
                if (try? Self.code(messages[index], under: key)) == expected[index] { agreed.add(1, ordering: .relaxed) }
            }
        }
        #expect(agreed.load(ordering: .relaxed) == 16 * 640)
    }
}
