import Testing

@testable import Observability

struct LogFormatTests {
    static let jsonStart = #"{"time":"2026-03-10T08:15:12.123Z","level":"info","message":"#

    func everything(_ logger: Logger) {
        logger.log(.debug, message: "starting")
        logger.log(.info, message: "request served", fields: ["app": .string("shop"), "count": .integer(-2), "new": .boolean(true)])
        logger.log(.warning, message: "slow", fields: ["note": .string("took \"long\""), "ok": .boolean(false)])
        logger.log(.error, message: "failed", fields: ["reason": .string("")])
    }

    @Test func `formats JSON lines`() throws {
        #expect(
            try captureLog(.json, everything) == #"""
                {"time":"2026-03-10T08:15:12.123Z","level":"debug","message":"starting"}
                {"time":"2026-03-10T08:15:12.123Z","level":"info","message":"request served","app":"shop","count":-2,"new":true}
                {"time":"2026-03-10T08:15:12.123Z","level":"warning","message":"slow","note":"took \"long\"","ok":false}
                {"time":"2026-03-10T08:15:12.123Z","level":"error","message":"failed","reason":""}

                """#)
    }

    @Test func `formats text lines`() throws {
        #expect(
            try captureLog(.text, everything) == #"""
                2026-03-10T08:15:12.123Z DEBUG starting
                2026-03-10T08:15:12.123Z INFO  request served app=shop count=-2 new=true
                2026-03-10T08:15:12.123Z WARN  slow note="took \"long\"" ok=false
                2026-03-10T08:15:12.123Z ERROR failed reason=""

                """#)
    }

    /// Two hexadecimal digits in lower case.
    func hexadecimal(_ byte: UInt8) -> String {
        (byte < 16 ? "0" : "") + String(byte, radix: 16)
    }

    @Test(arguments: UInt8(0)...127)
    func `escapes ASCII in JSON`(_ byte: UInt8) throws {
        let value = String(Unicode.Scalar(byte))
        let short: [UInt8: String] = [0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r", 0x22: "\\\"", 0x5C: "\\\\"]
        let escaped = short[byte] ?? (byte < 0x20 || byte == 0x7F ? "\\u00\(hexadecimal(byte))" : value)
        let output = try captureLog(.json) { $0.log(.info, message: value, fields: ["k": .string("a\(value)z")]) }
        #expect(Array(output.utf8) == Array("\(Self.jsonStart)\"\(escaped)\",\"k\":\"a\(escaped)z\"}\n".utf8))
    }

    @Test(arguments: UInt8(0)...127)
    func `escapes ASCII in text`(_ byte: UInt8) throws {
        let value = String(Unicode.Scalar(byte))
        let short: [UInt8: String] = [0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r", 0x22: "\\\""]
        let escaped = short[byte] ?? (byte < 0x20 || byte == 0x7F ? "\\u00\(hexadecimal(byte))" : value)
        let isQuoted = escaped != value || byte == 0x20 || byte == 0x3D
        let expected = isQuoted ? "\"a\(escaped)z\"" : "a\(value)z"
        let output = try captureLog(.text) { $0.log(.info, message: "m", fields: ["k": .string("a\(value)z")]) }
        #expect(Array(output.utf8) == Array("2026-03-10T08:15:12.123Z INFO  m k=\(expected)\n".utf8))
    }

    @Test(arguments: [
        ("Привет", "Привет"), ("caf\u{e9}", "caf\u{e9}"), ("日本", "日本"), ("😀", "😀"), ("\\n", "\\n"),
        ("a\u{85}b", #""a\u0085b""#), ("a\u{9b}31m", #""a\u009b31m""#), ("a\u{a0}b", #""a\u00a0b""#), ("a\u{2028}b", #""a\u2028b""#),
        ("a\u{202e}b", #""a\u202eb""#), ("a\u{200b}b", #""a\u200bb""#), ("a\u{e0001}b", #""a\U000e0001b""#), ("\\ ", #""\\ ""#),
        ("\r\n", #""\r\n""#), ("Привет мир", "\"Привет мир\""),
    ])
    func `escapes text outside ASCII`(_ value: String, _ expected: String) throws {
        let output = try captureLog(.text) { $0.log(.info, message: "m", fields: ["k": .string(value)]) }
        #expect(Array(output.utf8) == Array("2026-03-10T08:15:12.123Z INFO  m k=\(expected)\n".utf8))
    }

    @Test(arguments: ["Привет", "\u{2028}", "\u{85}", "😀", "e\u{301}"])
    func `keeps text outside ASCII in JSON`(_ value: String) throws {
        let output = try captureLog(.json) { $0.log(.info, message: "m", fields: ["k": .string(value)]) }
        #expect(Array(output.utf8) == Array("\(Self.jsonStart)\"m\",\"k\":\"\(value)\"}\n".utf8))
    }

    static let forgery = "x\n2026-03-10T08:15:12.123Z ERROR forged a=\"b\"\r\n{\"level\":\"error\"}"

    @Test(arguments: [LogFormat.json, .text])
    func `no value can begin a line`(_ format: LogFormat) throws {
        let output = try captureLog(format) { logger in
            var fields: LogFields = ["k": .string(Self.forgery)]
            fields.append(Self.forgery, .string(Self.forgery))
            logger.log(.info, message: Self.forgery, fields: fields)
        }
        #expect(output.utf8.count { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") } == 1)
        #expect(output.utf8.last == UInt8(ascii: "\n"))
    }

    @Test(arguments: [("user=root", #""user=root""#), ("a b", "a b"), ("say \"x\"", #""say \"x\"""#), ("a\nb", #""a\nb""#), ("", "\"\"")])
    func `a message cannot imitate a field`(_ message: String, _ expected: String) throws {
        let output = try captureLog(.text) { $0.log(.info, message: message, fields: ["k": .integer(1)]) }
        #expect(output == "2026-03-10T08:15:12.123Z INFO  \(expected) k=1\n")
    }

    @Test func `ambiguous keys trap in debug`() async {
        await #expect(processExitsWith: .failure) { _ = ["level": .integer(1)] as LogFields }
        await #expect(processExitsWith: .failure) { _ = ["a": .integer(1), "a": .integer(2)] as LogFields }
        await #expect(processExitsWith: .success) { _ = ["a": .integer(1), "A": .integer(2)] as LogFields }
    }
}
