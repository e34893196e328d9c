import Crypto
import Testing

struct ConstantTimeEqualsTests {
    private func equal(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        constantTimeEquals(left.span, right.span)
    }

    @Test(arguments: 0...65)
    func `equal bytes are equal`(count: Int) {
        #expect(equal(repeated(7, count), repeated(7, count)))
    }

    @Test(arguments: 0..<32)
    func `one changed bit makes a difference`(index: Int) {
        let bytes = [UInt8](0..<32)
        for bit in 0..<8 {
            var changed = bytes
            changed[index] ^= 1 << bit
            #expect(!equal(bytes, changed))
        }
    }

    @Test(arguments: [(0, 1), (1, 0), (31, 32), (32, 31)])
    func `a prefix is not equal to the whole`(left: Int, right: Int) {
        #expect(!equal(repeated(7, left), repeated(7, right)))
    }

    @Test func `fixed lengths compare by content`() {
        let code: InlineArray<4, UInt8> = [1, 2, 3, 4]
        #expect(constantTimeEquals(code, [1, 2, 3, 4]))
        #expect(!constantTimeEquals(code, [1, 2, 3, 5]))
        #expect(!constantTimeEquals(code, [0, 2, 3, 4]))
    }
}
