package enum Language: String, Sendable, CaseIterable {
    case english = "en"
    case russian = "ru"
}

/// A text for operators in every language. All languages are required, so a missing translation does not compile.
package struct LocalizedText: Sendable, Equatable {
    package let english: String
    package let russian: String

    /// Creates the text from a phrase in each language. An interpolated `LocalizedText` appears in the language of the phrase.
    package init(_ english: Phrase<English>, _ russian: Phrase<Russian>) {
        self.english = english.text
        self.russian = russian.text
    }

    private init(_ english: String, russian: String) {
        self.english = english
        self.russian = russian
    }

    /// Creates a text that is the same in every language: a name, a number, or the output of another program.
    package init(verbatim text: String) {
        self.init(text, russian: text)
    }

    /// The step that applies a changed configuration, as the end of a remedy.
    package static let reload = LocalizedText("run deskgate reload", "перечитайте настройки (deskgate reload)")

    package func text(in language: Language) -> String {
        switch language {
        case .english: english
        case .russian: russian
        }
    }

    package func map(_ change: (String) -> String) -> LocalizedText { LocalizedText(change(english), russian: change(russian)) }

    package static func + (left: LocalizedText, right: LocalizedText) -> LocalizedText {
        LocalizedText(left.english + right.english, russian: left.russian + right.russian)
    }
}

package protocol PhraseLanguage {
    static var language: Language { get }
}

package enum English: PhraseLanguage {
    package static let language = Language.english
}

package enum Russian: PhraseLanguage {
    package static let language = Language.russian
}

/// A literal in one language. The separate type prevents its use for another language.
package struct Phrase<Tongue: PhraseLanguage>: ExpressibleByStringInterpolation {
    package struct StringInterpolation: StringInterpolationProtocol {
        fileprivate var text = ""

        package init(literalCapacity: Int, interpolationCount: Int) {
            text.reserveCapacity(literalCapacity + 16 * interpolationCount)
        }

        package mutating func appendLiteral(_ literal: String) { text += literal }

        package mutating func appendInterpolation(_ reported: LocalizedText) { text += reported.text(in: Tongue.language) }

        package mutating func appendInterpolation(_ value: some CustomStringConvertible) { text += value.description }
    }

    package let text: String

    package init(stringLiteral text: String) { self.text = text }

    package init(stringInterpolation: StringInterpolation) { text = stringInterpolation.text }
}
