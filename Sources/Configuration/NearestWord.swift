/// Finds what somebody meant who has mistyped a word: a key of the configuration, a command or an option.
package enum NearestWord {
    /// The known word with the fewest edits, when these are few enough to be a slip.
    package static func nearest(to word: String, in known: [String]) -> String? {
        let ranked = known.map { (word: $0, distance: distance(Array(word.utf8.prefix(64)), Array($0.utf8))) }
        guard let best = ranked.min(by: { $0.distance < $1.distance }) else { return nil }
        let length = best.word.utf8.count
        // Two edits make "id" out of any two letters.
        return best.distance <= min(max(2, length / 3), length - 1) ? best.word : nil
    }

    /// The number of single-byte insertions, deletions and replacements between two texts (Levenshtein).
    private static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        var row = Array(0...right.count)
        for (i, byte) in left.enumerated() {
            var diagonal = row[0]
            row[0] = i + 1
            for (j, other) in right.enumerated() {
                let replaced = diagonal + (byte == other ? 0 : 1)
                diagonal = row[j + 1]
                row[j + 1] = min(replaced, diagonal + 1, row[j] + 1)
            }
        }
        return row[right.count]
    }
}
