/// The notification texts of one language. English and Russian are built in; the configuration can replace every text.
package struct PushTemplates: Sendable, Equatable {
    package struct Problems: Error, Equatable {
        package struct Problem: Equatable, Sendable {
            /// Nil when the fault is in the language.
            package let part: PushTemplatePart?
            /// A predicate that follows the text's name, such as `has the unknown placeholder {name}`.
            package let description: String
        }

        /// In the order of the parts.
        package let all: [Problem]
    }

    /// The language tag, such as `ru` or `pt-BR`.
    package let language: String
    private let templates: [PushTemplatePart: PushTemplate]

    /// Parses the texts of a language.
    ///
    /// A language that is not built in needs texts for `files_other`, `neutral_title` and `neutral_body`.
    /// - Parameters:
    ///   - language: letters and digits with hyphens between them (RFC 5646); the region of a built-in language is ignored.
    ///   - texts: replace the built-in texts.
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
                // If the language tag is misspelled, it is unknown which texts are missing.
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

    /// Returns the built-in texts of a language; for another language, the texts that are the same in all languages.
    package static func builtIn(in language: String) -> [PushTemplatePart: String] {
        builtIn[language.prefix { $0 != "-" }.lowercased()] ?? independent
    }

    package static let english = make("en")
    package static let russian = make("ru")

    func text(_ part: PushTemplatePart, _ value: (PushTemplate.Placeholder) -> String = { _ in "" }) -> String {
        guard let template = templates[part] ?? templates[.filesOther] else { preconditionFailure("required texts are present") }
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
            preconditionFailure("built-in texts are valid")
        }
    }

    private static func isLanguage(_ text: String) -> Bool {
        text.unicodeScalars.split(separator: "-", omittingEmptySubsequences: false).allSatisfy { part in
            (1...8).contains(part.count) && part.allSatisfy { $0.isASCII && ($0.properties.isAlphabetic || "0"..."9" ~= $0) }
        }
    }
}

extension PushTemplate.Problem: CustomStringConvertible {
    package var description: String {
        switch self {
        case .empty: "has no visible character; give a text"
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

/// The parts of notifications; the raw values are their keys in the configuration.
package enum PushTemplatePart: String, Sendable, CaseIterable {
    /// The title if the author is known and may be shown.
    case title
    case text
    /// The body of a comment with files only, by the plural form of their number; in some languages `one` is also for 21.
    case filesOne = "files_one"
    case filesFew = "files_few"
    case filesMany = "files_many"
    /// Also replaces every plural form without a text.
    case filesOther = "files_other"
    /// The title that reveals no name, also used if the author's name is unknown.
    case neutralTitle = "neutral_title"
    case neutralBody = "neutral_body"

    /// The allowed placeholders.
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

/// The plural form of a noun after a whole number (Unicode CLDR, "Language Plural Rules").
package enum PluralForm: String, Sendable, CaseIterable {
    case one, few, many, other

    /// Returns the form for a number. Only the part of the language before the first hyphen matters: `ru-RU` is `ru`.
    ///
    /// The East and South Slavic languages, Polish, Czech and Slovak have their own rules; all other languages use the English forms, `one`
    /// and `other`.
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
