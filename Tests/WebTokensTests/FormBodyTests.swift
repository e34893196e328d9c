import Testing
import WebTokens

@Suite struct FormBodyTests {
    @Test func `encodes all reserved characters`() {
        var form = FormBody()
        form.append("a", "azAZ09-._~")
        form.append("b", " +&=%/:;\u{0}\né")
        form.append("c", "")
        #expect(String(decoding: form.bytes, as: UTF8.self) == "a=azAZ09-._~&b=%20%2B%26%3D%25%2F%3A%3B%00%0A%C3%A9&c=")
        #expect(form["a"] == "azAZ09-._~")
        #expect(form["b"] == " +&=%/:;\u{0}\né")
        #expect(form["c"] == "")
        #expect(form["d"] == nil)
    }

    @Test(arguments: [
        ("name=a+b%20c", "a b c"), ("n%61me=1", "1"), ("name", ""), ("name=1&name=2", "1"), ("x=1&&name=2", "2"), ("name=a=b", "a=b"),
        ("name=%", "%"), ("name=%4", "%4"), ("name=%zz", "%zz"), ("name=%C3%A9", "é"), ("", nil), ("Name=1", nil),
    ])
    func `parses other encoders' forms`(body: String, value: String?) {
        #expect(FormBody(received: Array(body.utf8))["name"] == value)
    }
}
