internal import Core
internal import JSON
internal import Time

enum TextFragments {
    /// A time, for example `2026-03-10T08:15:12.000Z`.
    static func time(_ moment: UnixSeconds) -> LocalizedText {
        // RFC 3339 has no date after 9999-12-31T23:59:59Z.
        moment > 253_402_300_799
            ? LocalizedText("after the year 9999", "после 9999 года") : LocalizedText(verbatim: RFC3339.text(moment.milliseconds))
    }

    /// A duration in the largest unit that keeps it readable, for example `90 seconds` or `3 days`. In Russian the units are abbreviated,
    /// which avoids their grammatical cases.
    static func duration(seconds: UInt64) -> LocalizedText {
        let units: [(english: String, russian: String, size: UInt64)] = [
            ("day", "дн.", 86_400), ("hour", "ч", 3600), ("minute", "мин", 60), ("second", "с", 1),
        ]
        let unit = units.first { seconds >= 2 * $0.size } ?? units[3]
        return LocalizedText("\(count(seconds / unit.size, unit.english))", "\(seconds / unit.size) \(unit.russian)")
    }

    /// A number with its English noun: `1 device`, `2 devices`.
    static func count(_ number: some BinaryInteger, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    /// A sentence from its end: with a capital letter and, unless it is a question, a full stop.
    static func sentence(_ end: LocalizedText) -> LocalizedText {
        end.map { $0.prefix(1).uppercased() + $0.dropFirst() + ($0.hasSuffix(".") || $0.hasSuffix("?") ? "" : ".") }
    }

    static func sentences(_ all: [LocalizedText]) -> LocalizedText { joined(all, by: " ") }

    /// Texts with a separator that is the same in every language.
    static func joined(_ all: [LocalizedText], by separator: String) -> LocalizedText {
        guard let first = all.first else { return LocalizedText(verbatim: "") }
        return all.dropFirst().reduce(first) { $0 + LocalizedText(verbatim: separator) + $1 }
    }

    /// A text quoted as one word of a shell command, because people copy commands that contain foreign identifiers.
    static func word(_ text: String) -> String {
        let isPlain =
            !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"):
                    true
                default: "-_.:@+,/".utf8.contains(byte)
                }
            }
        return isPlain ? text : "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''") + "'"
    }
}

extension JSONValue {
    /// A text in one language; null for none.
    init(_ reported: LocalizedText?, in language: Language) {
        self = reported.map { .string($0.text(in: language)) } ?? .null
    }
}
