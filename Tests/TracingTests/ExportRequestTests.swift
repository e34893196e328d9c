import Core
import JSON
import Testing

@testable import Tracing

@Suite struct ExportRequestTests {
    @Test func `is OTLP in JSON`() throws {
        let context = TraceContext(traceID: 0x4bf9_2f35_77b3_4da6_a3ce_929d_0e0e_4736, spanID: 0xf067_aa0b_a902_b7, isSampled: true)
        let spans = [
            TraceSpan(
                context: context, parentID: 0, name: "POST /a", kind: .server, start: 1_800_000_000_123_456_789, end: .max,
                attributes: [.text("a.text", "\"ä\n"), .integer("a.number", .min)], hasFailed: false),
            TraceSpan(
                context: context.sampled(false), parentID: 0x1f, name: "b", kind: .client, start: 0, end: 1, attributes: [],
                hasFailed: true),
        ]
        let body = ExportRequest.body(spans, resource: [.text("service.name", "deskgate")], version: "1.2.3")
        let expected = #"""
            {"resourceSpans":[{"resource":{"attributes":[{"key":"service.name","value":{"stringValue":"deskgate"}}]},
             "scopeSpans":[{"scope":{"name":"deskgate","version":"1.2.3"},"spans":[
              {"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","name":"POST /a","kind":2,
               "startTimeUnixNano":"1800000000123456789","endTimeUnixNano":"18446744073709551615","attributes":[
                {"key":"a.text","value":{"stringValue":"\"ä\n"}},
                {"key":"a.number","value":{"intValue":"-9223372036854775808"}}]},
              {"traceId":"4bf92f3577b34da6a3ce929d0e0e4736","spanId":"00f067aa0ba902b7","parentSpanId":"000000000000001f","name":"b",
               "kind":3,"startTimeUnixNano":"0","endTimeUnixNano":"1","attributes":[],"status":{"code":2}}]}]}]}
            """#
        let (found, wanted) = (try #require(JSONValue(parsing: body)), try #require(JSONValue(parsing: Array(expected.utf8))))
        #expect(found == wanted)
    }
}
