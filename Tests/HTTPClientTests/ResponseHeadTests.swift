import Testing

@testable import HTTPClient

/// The header section of a response as libcurl passes it, line by line.
@Suite struct ResponseHeadTests {
    private func receive(_ bytes: [UInt8], _ head: inout ResponseHead) -> Bool {
        head.receive(bytes.span)
    }

    private func head(_ lines: String...) -> ResponseHead {
        var head = ResponseHead()
        for line in lines {
            #expect(receive(Array((line + "\r\n").utf8), &head))
        }
        return head
    }

    @Test(arguments: [("X-A", "1"), ("x-a", "1"), ("X-B", ""), ("X-C", "a:b"), ("X-D", nil), ("", nil), ("X-A ", nil)])
    func `finds values`(name: String, value: String?) {
        #expect(head("HTTP/1.1 200 OK", "X-A: 1", "X-B:", "X-C:\t a:b \t", "no colon", "X-A: 2", "").value(of: name) == value)
    }

    @Test func `discards earlier header sections`() {
        let head = head("HTTP/1.1 100 Continue", "X-A: 1", "", "HTTP/2 200", "X-B: 2", "")
        #expect(head.value(of: "X-A") == nil)
        #expect(head.value(of: "X-B") == "2")
    }

    @Test func `ignores trailers`() {
        #expect(head("HTTP/1.1 200 OK", "", "X-A: 1").value(of: "X-A") == nil)
    }

    @Test func `repairs invalid UTF-8`() {
        var head = ResponseHead()
        let line: [UInt8] = Array("X-A: a".utf8) + [0xFF, 13, 10]
        #expect(receive(line, &head))
        #expect(head.value(of: "X-A") == "a\u{FFFD}")
    }

    @Test func `counts every byte`() {
        var head = ResponseHead()
        let half = [UInt8](repeating: UInt8(ascii: "x"), count: ResponseHead.limit / 2)
        #expect(receive(half, &head))
        let status = Array("HTTP/1.1 200 OK\r\n".utf8)
        #expect(receive(status, &head))
        #expect(!receive(half, &head))
    }
}
