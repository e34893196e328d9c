/// Finds the likely intended word for a mistyped one: a configuration key, a command or an option.
package enum NearestWord {
    /// The maximum number of bytes that are compared; a real `app_id` has 136. Untrusted callers choose these texts, so a comparison must
    /// be cheap.
    private static let longest = 144

    /// Returns the known word with the fewest edits, if the number is small enough for a typing error. Ignores the case of ASCII letters.
    package static func nearest(to word: String, in known: [String]) -> String? {
        let bytes = folded(word)
        let ranked = known.map { (word: $0, distance: distance(bytes, folded($0))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        let length = best.word.utf8.count
        // In a word of five letters, two edits can produce an unrelated word, such as "port" from "host".
        return best.distance <= min(max(1, length / 3), length - 1) ? best.word : nil
    }

    private static func folded(_ word: String) -> [UInt8] {
        word.utf8.prefix(longest).map { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) ? $0 | 0x20 : $0 }
    }

    /// Returns the number of single-byte insertions, deletions, replacements and swaps of neighbors between two texts (Damerau-Levenshtein
    /// distance in which no byte is edited twice).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var (above, row) = ([Int](), Array(0...right.count))
        for (i, byte) in left.enumerated() {
            var next = [i + 1]
            next.reserveCapacity(row.count)
            for (j, other) in right.enumerated() {
                var best = min(row[j] + (byte == other ? 0 : 1), row[j + 1] + 1, next[j] + 1)
                if i > 0, j > 0, byte == right[j - 1], other == left[i - 1] { best = min(best, above[j - 1] + 1) }
                next.append(best)
            }
            (above, row) = (row, next)
        }
        return row[right.count]
    }
}

enum UnknownKey {
    /// The maximum number of locations that a message lists.
    private static let maximumPlaces = 3
    /// Keys in the configuration of other servers that select one of Apple's two environments.
    private static let apnsEnvironments = ["environment", "production", "sandbox"]

    /// - Parameter places: the locations where the configuration has this key. Objects with different names are no help, because many have
    ///   a `type` or a `key`. Only a key whose value is an object, such as `tls`, is distinctive.
    static func message(_ key: String, known: [String], places: [Place] = []) -> String {
        if let hint = ForeignLetters.hint(key, known: known) { return "unknown key: \(hint)" }
        if apnsEnvironments.contains(key), known.contains("sandbox_url") {
            return "unknown key; remove it: whether a device is in the sandbox, Deskgate finds out by itself"
        }
        let names = Set(places.map { $0.path.split(separator: ".").last })
        if names.count == 1 || (1...maximumPlaces).contains(places.count) && places.allSatisfy(\.isObject) {
            return "unknown key; it belongs to \(places.map(\.path).joined(separator: " or "))"
        }
        // The text may have any length.
        let word = String(key.prefix(64))
        if let nearest = NearestWord.nearest(to: word, in: known) { return "unknown key; did you mean \"\(nearest)\"?" }
        return "unknown key; known here: \(known.sorted().joined(separator: ", "))"
    }

    /// An object of the configuration that contains a key.
    struct Place {
        let path: String
        /// Whether the value of the key is an object with keys, or a list of such objects.
        let isObject: Bool
    }

    /// Returns the objects that contain a key.
    static func places(of key: String, in keys: ConfigurationKeys = ConfigurationReader.rootKeys, at path: String = "$") -> [Place] {
        keys.all.filter { $0.name == key }.prefix(1).map { Place(path: path, isObject: !$0.value.keys.all.isEmpty) }
            + keys.all.flatMap { member -> [Place] in
                switch member.value {
                case .object(let below): places(of: key, in: below, at: "\(path).\(member.name)")
                case .objects(let below, _): places(of: key, in: below, at: "\(path).\(member.name)[]")
                case .notifiers:
                    Array(NotifierType.allCases.flatMap { places(of: key, in: $0.keys, at: "\(path).\(member.name).NAME") }.prefix(1))
                default: []
                }
            }
    }
}

/// The message about an unknown word in place of one of the known words.
enum UnknownWord {
    static func message(_ word: String, known: [String]) -> String {
        let expectation = "expected one of \(known.map { "\"\($0)\"" }.joined(separator: ", "))"
        if let hint = ForeignLetters.hint(word, known: known) { return "\(expectation); \(hint)" }
        return nearest(to: word.lowercased(), in: known).map { "\(expectation); did you mean \"\($0)\"?" } ?? expectation
    }

    /// Returns the known word that was mistyped, capitalized, truncated or extended.
    private static func nearest(to word: String, in known: [String]) -> String? {
        let forms = known.map { $0.lowercased() }
        let beginning = forms.filter { word.utf8.count > 2 && ($0.hasPrefix(word) || word.hasPrefix($0)) }
        let form = NearestWord.nearest(to: word, in: forms) ?? (beginning.count == 1 ? beginning[0] : nil)
        return form.flatMap { form in known.first { $0.lowercased() == form } }
    }
}

/// Detects non-ASCII characters in known words, which look like ASCII or are invisible.
enum ForeignLetters {
    private static let longest = 64

    /// Returns a hint with these characters and the intended word; nil when no known word has the same ASCII characters in the same places.
    static func hint(_ word: String, known: [String]) -> String? {
        let scalars = Array(word.unicodeScalars.prefix(longest + 1))
        let foreign = scalars.filter { !$0.isASCII }
        guard scalars.count <= longest, !foreign.isEmpty, foreign.count < scalars.count else { return nil }
        let meant = known.filter { isMeant(Array($0.unicodeScalars), by: scalars) }
        guard meant.count == 1 else { return nil }
        var shown: [String] = []
        for name in foreign.map(name) where !shown.contains(name) { shown.append(name) }
        let isLetters = foreign.allSatisfy(\.properties.isAlphabetic)
        let (noun, verb) = shown.count == 1 ? (isLetters ? "letter" : "character", "is") : (isLetters ? "letters" : "characters", "are")
        let remedy = isLetters ? "type \"\(meant[0])\" in Latin letters" : "type \"\(meant[0])\" again"
        return "its \(noun) \(shown.joined(separator: ", ")) \(verb) \(script(foreign)); \(remedy)"
    }

    /// Whether the typed text equals a word except for non-ASCII characters that replace characters of the word or are inserted between
    /// them.
    private static func isMeant(_ word: [Unicode.Scalar], by typed: [Unicode.Scalar]) -> Bool {
        typed.filter(\.isASCII) == word || typed.count == word.count && zip(typed, word).allSatisfy { !$0.isASCII || $0 == $1 }
    }

    /// Returns a letter itself, or the code point of a character that may be invisible.
    private static func name(_ scalar: Unicode.Scalar) -> String {
        if scalar.properties.isAlphabetic { return String(Character(scalar)) }
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+\(String(repeating: "0", count: max(0, 4 - digits.count)))\(digits)"
    }

    private static func script(_ scalars: [Unicode.Scalar]) -> String {
        if scalars.allSatisfy({ (0x400...0x52F).contains($0.value) }) { return "Cyrillic" }
        return scalars.allSatisfy { (0x370...0x3FF).contains($0.value) } ? "Greek" : "not ASCII"
    }
}

/// Returns an untrusted name for output on a terminal: without control characters, truncated, and without a possible secret.
/// - Parameter longest: the maximum number of Unicode scalars.
package func printable(_ name: String, longest: Int = 64) -> String {
    if SecretRules.mayHoldSecret(name) { return "(a possible secret)" }
    let shown = name.unicodeScalars.prefix(longest).map { scalar in
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value) ? "?" : scalar
    }
    return shown.isEmpty ? "\"\"" : String(String.UnicodeScalarView(shown))
}
