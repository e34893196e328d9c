/// A place in a text, as editors count.
package struct JSONPlace: Sendable, Equatable {
    /// The line, from 1.
    package let line: Int
    /// The column, from 1, in Unicode scalars.
    package let column: Int

    /// Names a place.
    package init(line: Int, column: Int) {
        self.line = line
        self.column = column
    }

    /// The place of a byte.
    init(of index: Int, in bytes: Span<UInt8>) {
        var line = 1
        var column = 0
        for position in 0...index {
            if bytes[position] == UInt8(ascii: "\n"), position < index {
                line += 1
                column = 0
            } else if bytes[position] & 0xC0 != 0x80 {
                // Every byte but a UTF-8 continuation byte starts a scalar.
                column += 1
            }
        }
        self.init(line: line, column: column)
    }
}
