import Core
import TestSupport
import Testing

/// Texts in every language.
@Suite struct LocalizedTextTests {
    @Test func `an interpolated text keeps its language`() {
        let age = LocalizedText("\(2) days", "\(2) дн.")
        let reported = LocalizedText("The key is \(age) old.", "Ключу \(age)")
        #expect(reported.text(in: .english) == "The key is 2 days old.")
        #expect(reported.text(in: .russian) == "Ключу 2 дн.")
        #expect(reported + LocalizedText(verbatim: " dgk1") == LocalizedText("The key is \(age) old. dgk1", "Ключу \(age) dgk1"))
        #expect(reported.map { $0.uppercased() }.russian == "КЛЮЧУ 2 ДН.")
    }

    @Test func `an English text is not a translation`() {
        #expect(!LocalizedText("It failed.", "It failed.").isTranslated)
        #expect(!LocalizedText("It failed.", "Это failed, and так").isTranslated)
        #expect(LocalizedText("It failed.", "Не удалось: deskgate status.").isTranslated)
    }
}
