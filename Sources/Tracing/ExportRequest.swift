internal import Core
internal import JSON

/// The body of an export: `ExportTraceServiceRequest` of OTLP in its JSON form
/// (https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding): ids in hexadecimal, 64-bit integers as texts, enums as numbers.
package enum ExportRequest {
    private static let bytesPerSpan = 640

    /// Encodes spans.
    /// - Parameters:
    ///   - resource: attributes of the process.
    ///   - version: of the product.
    package static func body(_ spans: [TraceSpan], resource: [TraceAttribute], version: String) -> [UInt8] {
        var writer = JSONWriter(capacity: 512 + bytesPerSpan * spans.count)
        writer.beginObject()
        writer.beginArray("resourceSpans")
        writer.beginObject()
        writer.beginObject("resource")
        add(resource, to: &writer)
        writer.endObject()
        writer.beginArray("scopeSpans")
        writer.beginObject()
        writer.beginObject("scope")
        writer.add("name", "deskgate")
        writer.add("version", version)
        writer.endObject()
        writer.beginArray("spans")
        for span in spans { add(span, to: &writer) }
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        writer.endArray()
        writer.endObject()
        return writer.bytes
    }

    private static func add(_ span: TraceSpan, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.add("traceId", span.context.traceIDText)
        writer.add("spanId", span.context.spanIDText)
        if span.parentID != 0 { writer.add("parentSpanId", TraceContext.text(span.parentID)) }
        writer.add("name", span.name)
        writer.add("kind", span.kind.rawValue)
        writer.add("startTimeUnixNano", String(span.start))
        writer.add("endTimeUnixNano", String(span.end))
        add(span.attributes, to: &writer)
        if span.hasFailed {
            writer.beginObject("status")
            // STATUS_CODE_ERROR.
            writer.add("code", 2)
            writer.endObject()
        }
        writer.endObject()
    }

    private static func add(_ attributes: [TraceAttribute], to writer: inout JSONWriter) {
        writer.beginArray("attributes")
        for attribute in attributes {
            writer.beginObject()
            writer.add("key", attribute.name)
            writer.beginObject("value")
            switch attribute.value {
            case .text(let text): writer.add("stringValue", text)
            case .integer(let number): writer.add("intValue", String(number))
            }
            writer.endObject()
            writer.endObject()
        }
        writer.endArray()
    }
}
