/// An error in a JSON text, and its position. It contains no part of the text, which may be secret.
package struct JSONError: Error, Equatable {
    package enum Reason: Equatable, Sendable {
        case syntax, endOfInput, trailingBytes, byteOrderMark, invalidUTF8
        case duplicateKey, nulInKey, numberOutOfRange, tooDeep, tooManyValues, outOfMemory
    }

    package let reason: Reason
    /// The line of the error, from 1.
    package let line: Int
    /// The column of the error, from 1, in Unicode scalars: the last scalar of the invalid token, or the position of a missing token.
    package let column: Int
    package let offset: Int
}

extension JSONError: CustomStringConvertible {
    /// The position and the error as text, such as `line 3, column 7: duplicate key`.
    package var description: String {
        "line \(line), column \(column): \(reason)"
    }
}

extension JSONError.Reason: CustomStringConvertible {
    package var description: String {
        switch self {
        case .syntax: "not valid JSON"
        case .endOfInput: "the text ends too early"
        case .trailingBytes: "more text after the end of the JSON value"
        case .byteOrderMark: "starts with a byte order mark"
        case .invalidUTF8: "invalid UTF-8"
        case .duplicateKey: "duplicate key"
        case .nulInKey: "NUL character in a key"
        case .numberOutOfRange: "number out of range"
        case .tooDeep: "nested too deep"
        case .tooManyValues: "too many values"
        case .outOfMemory: "out of memory"
        }
    }
}

/// A position in a text, numbered as in editors.
package struct JSONPlace: Sendable, Equatable {
    /// The line, from 1.
    package let line: Int
    /// The column, from 1, in Unicode scalars.
    package let column: Int

    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// Creates the position of a byte, which must exist in the text.
    package init(of index: Int, in bytes: Span<UInt8>) {
        var line = 1
        var column = 0
        for position in 0...index {
            if bytes[position] == UInt8(ascii: "\n"), position < index {
                line += 1
                column = 0
            } else if bytes[position] & 0xC0 != 0x80 {
                // Every byte except UTF-8 continuation bytes starts a scalar.
                column += 1
            }
        }
        self.init(line: line, column: column)
    }
}
