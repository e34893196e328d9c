/// The texts that notifications are made of; the raw values are their keys in the configuration.
package enum PushTemplatePart: String, Sendable, CaseIterable {
    /// The title when the author is known and may be shown.
    case title
    /// The body for a comment with a text.
    case text
    /// The body for files alone, by the form of the noun after their number; in some languages `one` is also for 21.
    case filesOne = "files_one"
    /// As `filesOne`.
    case filesFew = "files_few"
    /// As `filesOne`.
    case filesMany = "files_many"
    /// As `filesOne`; also for every form that has no template of its own.
    case filesOther = "files_other"
    /// The title that reveals nothing; it also stands where an author's name is unknown.
    case neutralTitle = "neutral_title"
    /// The body that reveals nothing.
    case neutralBody = "neutral_body"

    /// What may be filled in. The neutral texts reveal nothing, so nothing.
    package var placeholders: Set<PushTemplate.Placeholder> {
        switch self {
        case .title: [.author]
        case .text: [.author, .text]
        case .filesOne, .filesFew, .filesMany, .filesOther: [.author, .count, .files]
        case .neutralTitle, .neutralBody: []
        }
    }

    /// The body for so many files.
    static func files(_ form: PluralForm) -> PushTemplatePart {
        switch form {
        case .one: .filesOne
        case .few: .filesFew
        case .many: .filesMany
        case .other: .filesOther
        }
    }
}
