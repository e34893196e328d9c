/// Which form of a noun stands after a whole number (Unicode CLDR, "Language Plural Rules").
package enum PluralForm: String, Sendable, CaseIterable {
    case one, few, many, other

    /// The form for a number in a language, of which the part before the first hyphen counts: `ru`, `ru-RU`.
    ///
    /// Known are the East and South Slavic languages, Polish, Czech and Slovak; the rest counts as English does: one, and other.
    package init(count: Int, language: String) {
        let (units, tens) = (count % 10, count % 100)
        let isFew = (2...4).contains(units) && !(12...14).contains(tens)
        switch language.prefix(while: { $0 != "-" }).lowercased() {
        case "ru", "uk", "be": self = units == 1 && tens != 11 ? .one : isFew ? .few : .many
        case "sr", "hr", "bs": self = units == 1 && tens != 11 ? .one : isFew ? .few : .other
        case "pl": self = count == 1 ? .one : isFew ? .few : .many
        case "cs", "sk": self = count == 1 ? .one : (2...4).contains(count) ? .few : .other
        default: self = count == 1 ? .one : .other
        }
    }
}
