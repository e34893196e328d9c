/// A JSON object that holds nothing but plain strings, recognised without building anything: what nearly every authorization request is.
///
/// It recognises a part of what `JSONDocument` accepts, and only where both surely agree: no escapes, no other values, no repeated names,
/// few members. For anything else there is no `PlainObject`, and `JSONElement` decides.
package struct PlainObject {
    private static var mostMembers: Int { 8 }

    private var names = InlineArray<8, Range<Int>>(repeating: 0..<0)
    private var values = InlineArray<8, Range<Int>>(repeating: 0..<0)
    private var count = 0

    /// Recognises the object in `text`; nil when `text` is anything else, right or wrong.
    package init?(_ text: Span<UInt8>) {
        guard (try? UTF8Span(validating: text)) != nil else { return nil }
        var scanner = PlainScanner()
        guard scanner.take(UInt8(ascii: "{"), in: text) else { return nil }
        repeat {
            guard count < Self.mostMembers, let name = scanner.takeString(in: text), scanner.take(UInt8(ascii: ":"), in: text),
                let value = scanner.takeString(in: text)
            else { return nil }
            for earlier in 0..<count where text.areEqual(names[earlier], name) { return nil }
            (names[count], values[count]) = (name, value)
            count += 1
        } while scanner.take(UInt8(ascii: ","), in: text)
        guard scanner.take(UInt8(ascii: "}"), in: text), scanner.isAtEnd(of: text) else { return nil }
    }

    /// Where in the text the value of a member is; nil when there is none of that name.
    /// - Parameter text: the same that was recognised.
    package func value(of name: StaticString, in text: Span<UInt8>) -> Range<Int>? {
        for index in 0..<count where text.holds(name, at: names[index]) {
            return values[index]
        }
        return nil
    }
}
