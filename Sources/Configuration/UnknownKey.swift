/// What to say about a key that no object of the configuration has.
enum UnknownKey {
    static func message(_ key: String, known: [String]) -> String {
        if let nearest = NearestWord.nearest(to: key, in: known) { return "unknown key; did you mean \"\(nearest)\"?" }
        return "unknown key; known here: \(known.sorted().joined(separator: ", "))"
    }
}
