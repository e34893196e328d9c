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

    /// RFC 8259 section 7 requires escaping of the quote, the backslash and U+0000 to U+001F; U+007F is added to protect terminals.
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

/// Log lines for people, similar to logfmt.
///
/// Any ambiguous value is quoted, with its invisible characters escaped, so no value can begin a line, look like another field, or control
/// a terminal.
enum PlainLogText {
    static func append(_ line: LogLine, to output: inout [UInt8]) {
        RFC3339.append(line.time, to: &output)
        output.append(UInt8(ascii: " "))
        output.append(text: line.level.column)
        output.append(UInt8(ascii: " "))
        append(line.message, allowingSpace: true, to: &output)
        for (key, value) in line.fields.pairs {
            output.append(UInt8(ascii: " "))
            append(key, allowingSpace: false, to: &output)
            output.append(UInt8(ascii: "="))
            append(value, to: &output)
        }
    }

    private static func append(_ value: LogValue, to output: inout [UInt8]) {
        switch value {
        case .string(let string): append(string, allowingSpace: false, to: &output)
        case .integer(let integer): output.append(integer: integer)
        case .boolean(let boolean): output.append(text: boolean ? "true" : "false")
        }
    }

    private static func append(_ string: String, allowingSpace: Bool, to output: inout [UInt8]) {
        if !string.isEmpty && string.unicodeScalars.allSatisfy({ isPlain($0) || (allowingSpace && $0 == " ") }) {
            output.append(text: string)
            return
        }
        output.append(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars { appendQuoted(scalar, to: &output) }
        output.append(UInt8(ascii: "\""))
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        isVisible(scalar) && scalar != "\"" && scalar != "="
    }

    /// Whether a scalar is visible by itself: not a space, control, direction mark, line separator, or unassigned in Unicode.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return scalar.value > 0x20 && scalar.value < 0x7F }
        return switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .spaceSeparator, .privateUse, .surrogate, .unassigned: false
        default: true
        }
    }

    private static func appendQuoted(_ scalar: Unicode.Scalar, to output: inout [UInt8]) {
        switch scalar {
        case "\"": output.append(text: "\\\"")
        case "\\": output.append(text: "\\\\")
        case "\n": output.append(text: "\\n")
        case "\r": output.append(text: "\\r")
        case "\t": output.append(text: "\\t")
        case _ where scalar == " " || isVisible(scalar):
            output.append(text: String(scalar))
        default:
            let isWide = scalar.value > 0xFFFF
            output.append(text: isWide ? "\\U" : "\\u")
            output.append(hexadecimal: scalar.value, digits: isWide ? 8 : 4)
        }
    }
}
