/// Cleans untrusted text for display in a notification.
///
/// Removes invisible and reordering code points: control characters, bidirectional embeddings, overrides and isolates (which disguise file
/// names), byte order marks and noncharacters. Keeps those that scripts need: joiners, variation selectors, tags and direction marks.
package enum PushText {
    package static let ellipsis = "…"

    /// Returns the text on one line: each run of white space becomes one space, and the ends are trimmed. Empty when no character is
    /// visible.
    package static func line(_ text: String) -> String {
        if isLine(text) { return text }
        var line = String.UnicodeScalarView()
        var hasSpace = false
        for scalar in text.unicodeScalars {
            if isWhitespace(scalar) {
                hasSpace = true
            } else if !isUnwanted(scalar) {
                if hasSpace, !line.isEmpty { line.append(" ") }
                line.append(scalar)
                hasSpace = false
            }
        }
        return isVisible(line) ? String(line) : ""
    }

    /// Returns the text with each line break as one U+000A, at most one empty line in a row, and no white space around it or at the end of
    /// a line. Empty when no character is visible.
    package static func paragraphs(_ text: String) -> String {
        var lines: [Substring.UnicodeScalarView] = []
        let clean = withPlainLineBreaks(text)
        guard isVisible(clean) else { return "" }
        for line in clean.split(separator: "\n", omittingEmptySubsequences: false) {
            let trimmed = trimmingEnd(line)
            if trimmed.isEmpty, lines.last?.isEmpty ?? true { continue }
            lines.append(lines.isEmpty ? trimmed.drop(while: \.properties.isWhitespace) : trimmed)
        }
        if lines.last?.isEmpty == true { lines.removeLast() }
        return lines.map { String($0) }.joined(separator: "\n")
    }

    /// Shortens a text to at most `bytes` of UTF-8, with an ellipsis. A character is split only if it is the first and too long alone, such
    /// as a letter with thousands of combining marks.
    package static func cut(_ text: String, toBytes bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        func end(_ indices: some Sequence<String.Index>) -> String.Index {
            var end = text.startIndex
            for index in indices {
                guard text.utf8.distance(from: text.startIndex, to: index) <= bytes - ellipsis.utf8.count else { break }
                end = index
            }
            return end
        }
        let whole = end(text.indices)
        return shortened(text, to: whole > text.startIndex ? whole : end(text.unicodeScalars.indices))
    }

    /// Returns the text up to `end`, with an ellipsis.
    static func shortened(_ text: String, to end: String.Index) -> String {
        String(trimmingEnd(text[..<end].unicodeScalars)) + ellipsis
    }
}

extension PushText {
    /// Whether `line` would not change the text, the usual case.
    private static func isLine(_ text: String) -> Bool {
        // A space in front is also superfluous.
        var hasSpace = true
        for scalar in text.unicodeScalars {
            guard scalar == " " ? !hasSpace : !isWhitespace(scalar) && !isUnwanted(scalar) else { return false }
            hasSpace = scalar == " "
        }
        return !hasSpace && isVisible(text.unicodeScalars)
    }

    private static func withPlainLineBreaks(_ text: String) -> String.UnicodeScalarView {
        // Most texts have one line and nothing to remove.
        if text.unicodeScalars.allSatisfy({ !isLineBreak($0) && !isUnwanted($0) }) { return text.unicodeScalars }
        var clean = String.UnicodeScalarView()
        var followsCarriageReturn = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where followsCarriageReturn: break
            case _ where isLineBreak(scalar): clean.append("\n")
            case "\t": clean.append(" ")
            default: if !isUnwanted(scalar) { clean.append(scalar) }
            }
            followsCarriageReturn = scalar == "\r"
        }
        return clean
    }

    private static func isLineBreak(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}": true
        default: false
        }
    }

    private static func trimmingEnd(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        var text = text
        while let last = text.last, isWhitespace(last) { text.removeLast() }
        return text
    }

    // Control characters and noncharacters never change (Unicode, "Character Encoding Stability Policies"), so no table is needed.
    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F, 0xA0..<0x202A: false
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0xFDD0...0xFDEF, 0xFEFF, 0xFFF9...0xFFFB: true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// Avoids the property lookup for ranges without white space, such as between the no-break space and the Ogham space mark.
    private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x21..<0x7F, 0xA1..<0x1680: false
        default: scalar.properties.isWhitespace
        }
    }

    /// Default-ignorable letters are invisible, and some names consist only of them.
    private static func isVisible(_ text: String.UnicodeScalarView) -> Bool {
        text.contains { !isWhitespace($0) && !$0.properties.isDefaultIgnorableCodePoint }
    }
}
