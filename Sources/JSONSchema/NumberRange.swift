package import JSON

extension JSONSchema {
    /// Returns the violation of the first number in a JSON text that 64 bits cannot represent: an integer out of range, or a number that
    /// overflows to infinity or underflows to zero as a `Double`. nil when there is no such number.
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
    /// Whether the number is not zero, but its `Double` is.
    fileprivate var vanishes: Bool { double == 0 && !ExactNumber(self).isZero }
}
