/// Makes foreign text fit to be shown in a notification.
///
/// What shows nothing or turns other text around goes: control characters, the bidirectional embeddings, overrides and isolates (which
/// disguise file names), byte order marks, noncharacters. What writing needs stays: joiners, variation selectors, tags, direction marks.
package enum PushText {
    package static let ellipsis = "…"

    /// The text on one line: white space of any kind and length becomes one space, none is left around. Empty when nothing of it is
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

    /// The text with its line breaks, each as one U+000A, and at most one empty line between others; no white space around it or at the end
    /// of a line. Empty when nothing of it is visible.
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

    /// The text, or as many of its characters as leave room for an ellipsis within `bytes` of UTF-8. A character is taken apart only if it
    /// is the first and too long by itself, as a letter with thousands of marks is.
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

    /// The text's beginning with an ellipsis in place of the rest.
    static func shortened(_ text: String, to end: String.Index) -> String {
        String(trimmingEnd(text[..<end].unicodeScalars)) + ellipsis
    }
}

extension PushText {
    /// Whether it is what `line` makes of it already, as nearly every text is.
    private static func isLine(_ text: String) -> Bool {
        // A space in front is one too many as well.
        var hasSpace = true
        for scalar in text.unicodeScalars {
            guard scalar == " " ? !hasSpace : !isWhitespace(scalar) && !isUnwanted(scalar) else { return false }
            hasSpace = scalar == " "
        }
        return !hasSpace && isVisible(text.unicodeScalars)
    }

    private static func withPlainLineBreaks(_ text: String) -> String.UnicodeScalarView {
        // Most texts have one line and nothing to leave out.
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

    // Control characters and noncharacters are the same for ever (Unicode, "Character Encoding Stability Policies"), so no table is asked.
    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x20..<0x7F, 0xA0..<0x202A: false
        case 0..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x2069, 0xFDD0...0xFDEF, 0xFEFF, 0xFFF9...0xFFFB: true
        default: scalar.value & 0xFFFE == 0xFFFE
        }
    }

    /// The Unicode property. No table is searched in the gap between the no-break space and the Ogham space mark.
    private static func isWhitespace(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x21..<0x7F, 0xA1..<0x1680: false
        default: scalar.properties.isWhitespace
        }
    }

    /// Some letters are there to be left out when they are displayed, and names have been made of nothing else.
    private static func isVisible(_ text: String.UnicodeScalarView) -> Bool {
        text.contains { !isWhitespace($0) && !$0.properties.isDefaultIgnorableCodePoint }
    }
}
