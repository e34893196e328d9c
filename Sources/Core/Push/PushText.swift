/// Makes foreign text fit to be shown in a notification.
///
/// What shows nothing or turns other text around goes: control characters, the bidirectional embeddings, overrides and isolates (which disguise
/// file names), byte order marks, noncharacters. What writing needs stays: joiners, variation selectors, tags, direction marks.
package enum PushText {
    /// What stands where text was cut off.
    package static let ellipsis = "…"

    /// The text on one line: white space of any kind and length becomes one space, none is left around. Empty when nothing of it is visible.
    package static func line(_ text: String) -> String {
        var line = String.UnicodeScalarView()
        var hasSpace = false
        for scalar in text.unicodeScalars {
            if scalar.properties.isWhitespace {
                hasSpace = true
            } else if !isUnwanted(scalar) {
                if hasSpace, !line.isEmpty { line.append(" ") }
                line.append(scalar)
                hasSpace = false
            }
        }
        return isVisible(line) ? String(line) : ""
    }

    /// The text with its line breaks, each as one U+000A, and at most one empty line between others; no white space around it or at the end of
    /// a line. Empty when nothing of it is visible.
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

    /// The text, or as many of its characters as leave room for an ellipsis within `bytes` of UTF-8; no character is taken apart.
    package static func cut(_ text: String, toBytes bytes: Int) -> String {
        guard text.utf8.count > bytes else { return text }
        var end = text.startIndex
        for index in text.indices {
            guard text.utf8.distance(from: text.startIndex, to: index) <= bytes - ellipsis.utf8.count else { break }
            end = index
        }
        return shortened(text, to: end)
    }

    /// The text's beginning with an ellipsis in place of the rest.
    static func shortened(_ text: String, to end: String.Index) -> String {
        String(trimmingEnd(text[..<end].unicodeScalars)) + ellipsis
    }
}

extension PushText {
    private static func withPlainLineBreaks(_ text: String) -> String.UnicodeScalarView {
        var clean = String.UnicodeScalarView()
        var followsCarriageReturn = false
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\n" where followsCarriageReturn: break
            case "\n", "\r", "\u{B}", "\u{C}", "\u{85}", "\u{2028}", "\u{2029}": clean.append("\n")
            case "\t": clean.append(" ")
            default: if !isUnwanted(scalar) { clean.append(scalar) }
            }
            followsCarriageReturn = scalar == "\r"
        }
        return clean
    }

    private static func trimmingEnd(_ text: Substring.UnicodeScalarView) -> Substring.UnicodeScalarView {
        var text = text
        while text.last?.properties.isWhitespace == true { text.removeLast() }
        return text
    }

    private static func isUnwanted(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{202A}"..."\u{202E}", "\u{2066}"..."\u{2069}", "\u{FEFF}", "\u{FFF9}"..."\u{FFFB}": true
        default: scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint
        }
    }

    /// Some letters are there to be left out when they are displayed, and names have been made of nothing else.
    private static func isVisible(_ text: String.UnicodeScalarView) -> Bool {
        text.contains { !$0.properties.isWhitespace && !$0.properties.isDefaultIgnorableCodePoint }
    }
}
