/// Numbers in the syntax of JSON.
package enum JSONNumberText {
    /// Returns up to 60 digits, possibly with a sign, a fraction and an exponent; some do not fit in 64 bits.
    package static func random(using generator: inout SeededGenerator) -> String {
        var text = Bool.random(using: &generator) ? "-" : ""
        let whole = digits(0...20, using: &generator).drop { $0 == "0" }
        text += whole.isEmpty ? "0" : String(whole)
        if Bool.random(using: &generator) { text += "." + digits(1...40, using: &generator) }
        if Bool.random(using: &generator) {
            text += Bool.random(using: &generator) ? "e" : "E"
            text += generator.element(of: ["", "+", "-"]) + digits(1...3, using: &generator)
        }
        return text
    }

    private static func digits(_ count: ClosedRange<Int>, using generator: inout SeededGenerator) -> String {
        String((0..<Int.random(in: count, using: &generator)).map { _ in Character("\(Int.random(in: 0...9, using: &generator))") })
    }
}
