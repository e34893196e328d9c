import HTTPServer
import TestSupport
import Testing

@Suite struct TraceparentTests {
    private func reported(_ headers: String) throws -> String {
        // The next request on the connection must not get it.
        let answers = try ServerFixture.answers(to: headers, "") { request in
            var reported = "none"
            request.withTraceparent { value in
                if let value { reported = "<\(String(decoding: value.indices.map { value[$0] }, as: UTF8.self))>" }
            }
            return reported
        }
        #expect(answers.last == "none")
        return answers[0]
    }

    @Test(arguments: [
        ("", "none"), ("traceparent: 00-a-b-01\r\n", "<00-a-b-01>"), ("TraceParent:00-a\r\n", "<00-a>"),
        ("traceparent: \t 00-a \t \r\n", "<00-a>"), ("traceparent:\r\n", "none"),
        ("traceparent: 1\r\nX-Other: 2\r\ntraceparent: 1\r\n", "none"), ("traceparent: 1\r\ntraceparent: 2\r\nTRACEPARENT: 3\r\n", "none"),
        ("traceparent:\r\ntraceparent: 1\r\n", "none"), ("tracestate: a=b\r\ntraceparent-id: 1\r\n", "none"),
    ])
    func `is found once`(headers: String, expected: String) throws {
        #expect(try reported(headers) == expected)
    }
}
