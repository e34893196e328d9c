/// A condition that a measurement must meet.
struct Target {
    private let text: String
    /// Nil when it could not be measured.
    let isKept: Bool?

    init(_ text: String, isKept: Bool?) {
        self.text = text
        self.isKept = isKept
    }

    var line: String {
        let mark = isKept.map { $0 ? "PASS" : "MISS" } ?? "SKIP"
        return "- \(mark)  \(text)"
    }
}
