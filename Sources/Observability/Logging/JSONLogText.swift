internal import Time

/// Log lines as JSON objects (RFC 8259).
enum JSONLogText {
    static func append(_ line: LogLine, to output: inout [UInt8]) {
        output.append(text: "{\"time\":\"")
        RFC3339.append(line.time, to: &output)
        output.append(text: "\",\"level\":\"")
        output.append(text: line.level.name)
        output.append(text: "\",\"message\":")
        appendString(line.message, to: &output)
        for (key, value) in line.fields.pairs {
            output.append(UInt8(ascii: ","))
            appendString(key, to: &output)
            output.append(UInt8(ascii: ":"))
            append(value, to: &output)
        }
        output.append(UInt8(ascii: "}"))
    }

    private static func append(_ value: LogValue, to output: inout [UInt8]) {
        switch value {
        case .string(let string):
            appendString(string, to: &output)
        case .integer(let integer):
            output.append(integer: integer)
        case .boolean(let boolean):
            output.append(text: boolean ? "true" : "false")
        }
    }

    private static func appendString(_ string: String, to output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        if string.utf8.contains(where: mustEscape) {
            for byte in string.utf8 { append(byte, to: &output) }
        } else {
            output.append(text: string)
        }
        output.append(UInt8(ascii: "\""))
    }

    /// RFC 8259 section 7 asks it of the quote, the backslash and U+0000 to U+001F; U+007F is added for the sake of terminals.
    private static func mustEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == 0x7F || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private static func append(_ byte: UInt8, to output: inout [UInt8]) {
        switch byte {
        case UInt8(ascii: "\""): output.append(text: "\\\"")
        case UInt8(ascii: "\\"): output.append(text: "\\\\")
        case UInt8(ascii: "\n"): output.append(text: "\\n")
        case UInt8(ascii: "\r"): output.append(text: "\\r")
        case UInt8(ascii: "\t"): output.append(text: "\\t")
        case _ where mustEscape(byte):
            output.append(text: "\\u")
            output.append(hexadecimal: UInt32(byte), digits: 4)
        default: output.append(byte)
        }
    }
}
