/// The texts of notifications in one language: English and Russian are built in, and every text can be replaced.
package struct PushTemplates: Sendable, Equatable {
    package struct Problems: Error, Equatable {
        /// One mistake: which text, or the language when nil, and a sentence's end that follows its name.
        package struct Problem: Equatable, Sendable {
            /// The text; nil for the language.
            package let part: PushTemplatePart?
            /// The mistake and the remedy, such as `has the unknown placeholder {name}`.
            package let description: String
        }

        /// In the order of the parts.
        package let all: [Problem]
    }

    /// The language, such as `ru` or `pt-BR`.
    package let language: String
    private let templates: [PushTemplatePart: PushTemplate]

    /// Reads the texts of a language.
    ///
    /// A language that is not built in needs a text for `files_other`, `neutral_title` and `neutral_body`.
    /// - Parameters:
    ///   - language: letters and digits with hyphens between them (RFC 5646); of built-in languages the region is ignored.
    ///   - texts: in place of the built-in ones.
    package init(language: String, texts: [PushTemplatePart: String] = [:]) throws(Problems) {
        var problems: [Problems.Problem] = []
        let isLanguage = Self.isLanguage(language)
        if !isLanguage {
            let remedy = language.contains("_") ? "; write - for _" : ""
            problems.append(.init(part: nil, description: "is not a language such as \"en\" or \"pt-BR\"\(remedy)"))
        }
        let builtIn = Self.builtIn(in: language)
        var templates: [PushTemplatePart: PushTemplate] = [:]
        for part in PushTemplatePart.allCases {
            guard let text = texts[part] ?? builtIn[part] else {
                // Of a language that was misspelled nobody knows what is missing.
                if isLanguage, Self.required.contains(part) {
                    problems.append(.init(part: part, description: "is missing; give a text, as this language has none built in"))
                }
                continue
            }
            do throws(PushTemplate.Problem) {
                templates[part] = try PushTemplate(text, allowing: part.placeholders)
            } catch {
                problems.append(.init(part: part, description: error.description))
            }
        }
        guard problems.isEmpty else { throw Problems(all: problems) }
        self.language = language
        self.templates = templates
    }

    /// The texts that a language has where none are given; of one that is not built in those that are the same in all.
    package static func builtIn(in language: String) -> [PushTemplatePart: String] {
        builtIn[language.prefix { $0 != "-" }.lowercased()] ?? independent
    }

    package static let english = make("en")
    package static let russian = make("ru")

    func text(_ part: PushTemplatePart, _ value: (PushTemplate.Placeholder) -> String = { _ in "" }) -> String {
        guard let template = templates[part] ?? templates[.filesOther] else { preconditionFailure("required texts are there") }
        return template.filled(value)
    }
}

extension PushTemplates {
    private static let required: Set<PushTemplatePart> = [.title, .text, .filesOther, .neutralTitle, .neutralBody]
    private static let independent: [PushTemplatePart: String] = [.title: "{author}", .text: "{text}"]

    private static let builtIn: [String: [PushTemplatePart: String]] = [
        "en": [
            .title: "{author}", .text: "{text}", .filesOne: "{count} file: {files}", .filesOther: "{count} files: {files}",
            .neutralTitle: "Support", .neutralBody: "New message",
        ],
        "ru": [
            .title: "{author}", .text: "{text}", .filesOne: "{count} файл: {files}", .filesFew: "{count} файла: {files}",
            .filesMany: "{count} файлов: {files}", .filesOther: "{count} файла: {files}", .neutralTitle: "Поддержка",
            .neutralBody: "Новое сообщение",
        ],
    ]

    private static func make(_ language: String) -> PushTemplates {
        do throws(Problems) {
            return try PushTemplates(language: language)
        } catch {
            preconditionFailure("built-in texts are right")
        }
    }

    private static func isLanguage(_ text: String) -> Bool {
        text.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0) }
        }
    }
}

extension PushTemplate.Problem: CustomStringConvertible {
    /// A sentence's end, worded to follow the template's name.
    package var description: String {
        switch self {
        case .empty: "shows nothing; give a text"
        case .tooLong: "has more than \(PushTemplate.longestBytes) bytes; shorten it"
        case .controlCharacter: "has a control character; remove it"
        case .unpairedBrace: "has a brace without its partner; write {{ or }} for a brace"
        case .unknown(let name): "has the unknown placeholder {\(name)}; known are \(Self.list(PushTemplate.Placeholder.allCases))"
        case .misplaced(let placeholder): "has the placeholder \(Self.list([placeholder])), which cannot be filled in here"
        }
    }

    private static func list(_ placeholders: [PushTemplate.Placeholder]) -> String {
        placeholders.map { "{\($0.rawValue)}" }.joined(separator: ", ")
    }
}

/// The texts that notifications are made of; the raw values are their keys in the configuration.
package enum PushTemplatePart: String, Sendable, CaseIterable {
    /// The title when the author is known and may be shown.
    case title
    /// The body for a comment with a text.
    case text
    /// The body for files alone, by the form of the noun after their number; in some languages `one` is also for 21.
    case filesOne = "files_one"
    /// See `filesOne`.
    case filesFew = "files_few"
    /// See `filesOne`.
    case filesMany = "files_many"
    /// See `filesOne`; also for every form without a template of its own.
    case filesOther = "files_other"
    /// The title that reveals nothing; also used where an author's name is unknown.
    case neutralTitle = "neutral_title"
    case neutralBody = "neutral_body"

    /// The allowed placeholders. The neutral texts have none, because they reveal nothing.
    package var placeholders: Set<PushTemplate.Placeholder> {
        switch self {
        case .title: [.author]
        case .text: [.author, .text]
        case .filesOne, .filesFew, .filesMany, .filesOther: [.author, .count, .files]
        case .neutralTitle, .neutralBody: []
        }
    }

    static func files(_ form: PluralForm) -> PushTemplatePart {
        switch form {
        case .one: .filesOne
        case .few: .filesFew
        case .many: .filesMany
        case .other: .filesOther
        }
    }
}

/// The form of a noun after a whole number (Unicode CLDR, "Language Plural Rules").
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
