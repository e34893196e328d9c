import Core
import Testing

@Suite struct PluralFormTests {
    @Test(arguments: [
        (PluralForm.one, [1, 21, 31, 101, 121, 1001]), (.few, [2, 3, 4, 22, 24, 32, 102, 1003]),
        (.many, [0, 5, 9, 10, 11, 12, 13, 14, 15, 19, 20, 25, 100, 111, 112, 114, 1011]),
    ])
    func `Russian plurals follow their rules`(form: PluralForm, counts: [Int]) {
        for count in counts {
            for language in ["ru", "ru-RU", "RU", "uk", "be"] { #expect(PluralForm(count: count, language: language) == form) }
        }
    }

    @Test(arguments: [
        ("en", 1, PluralForm.one), ("en", 0, .other), ("en", 2, .other), ("en-GB", 21, .other), ("de", 1, .one), ("", 1, .one),
        ("pl", 1, .one), ("pl", 2, .few), ("pl", 21, .many), ("pl", 22, .few), ("pl", 12, .many), ("pl", 5, .many), ("cs", 1, .one),
        ("cs", 4, .few), ("cs", 5, .other), ("sk", 22, .other), ("sr", 21, .one), ("hr", 23, .few), ("bs", 11, .other),
    ])
    func `plural forms of other languages`(language: String, count: Int, form: PluralForm) {
        #expect(PluralForm(count: count, language: language) == form)
    }
}
