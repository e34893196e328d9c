/// Texts of untrusted pages, made safe to show beside other texts.
enum SanitizedText {
    /// Returns the text on one line, without surrounding white space, control characters, private characters and those that change the
    /// direction of what follows (Unicode Technical Report 36, section 2.5); cut between characters.
    /// - Parameter longest: in Unicode scalars.
    static func clean(_ text: String, longest: Int) -> String {
        var scalars = String.UnicodeScalarView()
        var isSpaceDue = false
        // Reads as much as may be shown, including removed characters.
        for scalar in text.unicodeScalars.prefix(longest * 16) {
            if isSpace(scalar) {
                isSpaceDue = !scalars.isEmpty
            } else if isShown(scalar) {
                if isSpaceDue { scalars.append(" ") }
                isSpaceDue = false
                scalars.append(scalar)
            }
        }
        return cut(String(scalars), longest)
    }

    private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
        // Line ends and tabs are control characters too.
        scalar.properties.isWhitespace
    }

    private static func isShown(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .surrogate, .privateUse, .unassigned: false
        // Joiners make letters of Persian and Indian scripts, and emoji; all other format characters are invisible or change the direction.
        case .format: scalar.value == 0x200C || scalar.value == 0x200D
        default: true
        }
    }

    private static func cut(_ text: String, _ longest: Int) -> String {
        guard text.unicodeScalars.count > longest else { return text }
        var kept = ""
        var count = 0
        for character in text {
            count += character.unicodeScalars.count
            guard count <= longest else { break }
            kept.append(character)
        }
        // One character of that many marks is taken apart.
        if kept.isEmpty { return String(String.UnicodeScalarView(text.unicodeScalars.prefix(longest))) }
        while kept.last == " " { kept.removeLast() }
        return kept
    }
}
