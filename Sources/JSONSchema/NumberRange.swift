package import JSON

extension JSONSchema {
    /// The breach of the first number in a JSON text that has no place in 64 bits: an integer beyond them, or a number that is infinite or
    /// zero as a `Double` and is not; nil when all numbers have.
    /// - Parameter name: the member whose value the text is; nil for a whole value.
    package static func violation(ofNumbersIn text: JSONElement, ofMember name: String? = nil) -> Violation? {
        var path = ValuePath()
        if let name { path.enter(member: name) }
        return violation(ofNumbersIn: text, at: &path)
    }

    private static func violation(ofNumbersIn element: JSONElement, at path: inout ValuePath) -> Violation? {
        if element.isNumberOutOfRange || element.number?.vanishes == true {
            return Violation(path, "is a number beyond 64 bits")
        }
        for (index, item) in element.elements.enumerated() {
            path.enter(item: index)
            if let violation = violation(ofNumbersIn: item, at: &path) { return violation }
            path.leave()
        }
        for member in element.members {
            path.enter(member: member.name)
            if let violation = violation(ofNumbersIn: member.value, at: &path) { return violation }
            path.leave()
        }
        return nil
    }
}

extension JSONNumber {
    /// Whether it is zero as a `Double`, and is not.
    fileprivate var vanishes: Bool { double == 0 && !ExactNumber(self).isZero }
}
