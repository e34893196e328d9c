import Bytes
import Crypto
import TestSupport
import Testing

struct RandomTests {
    @Test func `16 bytes do not repeat`() throws {
        var seen: Set<String> = []
        for _ in 0..<100 {
            let salt: InlineArray<16, UInt8> = try randomBytes()
            seen.insert(Hexadecimal.text(salt.span))
        }
        #expect(seen.count == 100)
    }

    @Test func `every byte of the span is overwritten`() throws {
        var touched = [UInt8](repeating: 0, count: 40)
        for _ in 0..<20 {
            var bytes = [UInt8](repeating: 0, count: touched.count)
            var span = bytes.mutableSpan
            try fillWithRandomBytes(&span)
            for index in touched.indices { touched[index] |= bytes[index] }
        }
        #expect(!touched.contains(0))
    }

    @Test func `an empty span is accepted`() throws {
        var bytes: [UInt8] = []
        var span = bytes.mutableSpan
        try fillWithRandomBytes(&span)
        #expect(bytes.isEmpty)
    }
}
