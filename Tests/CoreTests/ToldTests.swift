import Core
import TestSupport
import Testing

/// Texts in every language.
@Suite struct ToldTests {
    @Test func whatIsInterpolatedIsToldInTheSameLanguage() {
        let age = Told("\(2) days", "\(2) дн.")
        let told = Told("The key is \(age) old.", "Ключу \(age)")
        #expect(told.text(in: .english) == "The key is 2 days old." && told.text(in: .russian) == "Ключу 2 дн.")
        #expect(told + Told(verbatim: " dgk1") == Told("The key is \(age) old. dgk1", "Ключу \(age) dgk1"))
        #expect(told.map { $0.uppercased() }.russian == "КЛЮЧУ 2 ДН.")
    }

    @Test func anEnglishTextIsNoTranslation() {
        #expect(!Told("It failed.", "It failed.").isTranslated && !Told("It failed.", "Это failed, and так").isTranslated)
        #expect(Told("It failed.", "Не удалось: deskgate status.").isTranslated)
    }
}
