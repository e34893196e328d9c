import Testing

@testable import Notifiers

struct FormBodyTests {
    @Test func `everything but the unreserved is encoded`() {
        var form = FormBody()
        form.append("a", "azAZ09-._~")
        form.append("b", " +&=%/:;\u{0}\né")
        form.append("c", "")
        #expect(String(decoding: form.bytes, as: UTF8.self) == "a=azAZ09-._~&b=%20%2B%26%3D%25%2F%3A%3B%00%0A%C3%A9&c=")
    }
}
