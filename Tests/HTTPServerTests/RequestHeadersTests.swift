import Testing

@testable import HTTPServer

/// The parsing of numbers in headers, for every byte.
@Suite struct RequestHeadersTests {
    @Test(arguments: [
        ("0", 0), ("7", 7), ("007", 7), ("1234567890", 1_234_567_890), ("18446744073709551615", UInt64.max), ("18446744073709551616", nil),
        ("99999999999999999999", nil), ("", nil), (" 1", nil), ("1 ", nil), ("+1", nil), ("-1", nil), ("1,1", nil), ("0x1", nil),
        ("1.0", nil),
        ("\u{661}", nil),
    ])
    func `parses decimals`(text: String, expected: UInt64?) {
        let bytes = Array(text.utf8)
        #expect(bytes.span.decimal == expected)
    }

    @Test func `accepts no other byte as a digit`() {
        for byte in UInt8.min...UInt8.max {
            let bytes = [byte]
            let expected = (0x30...0x39).contains(byte) ? UInt64(byte - 0x30) : nil
            #expect(bytes.span.decimal == expected)
        }
    }
}
