/// The pieces of the Prometheus text exposition format, version 0.0.4.
///
/// Source: Prometheus, "Exposition formats", "Text format details": a help text escapes backslash and line feed,
/// a label value also the double quote.
enum PrometheusText {
    private static let lineFeed = UInt8(ascii: "\n")
    private static let backslash = UInt8(ascii: "\\")
    private static let quote = UInt8(ascii: "\"")

    static func header(of definition: MetricDefinition) -> [UInt8] {
        var text = Array("# HELP ".utf8) + definition.name + Array(" ".utf8)
        for byte in definition.help { append(byte, escapingQuote: false, to: &text) }
        text += Array("\n# TYPE ".utf8) + definition.name
        text.append(text: " \(definition.kind.rawValue)\n")
        return text
    }

    /// `app="shop",result="ok"`, empty without labels. Escaping keeps different values different, so this text is also a child's identity.
    static func labels(_ names: [[UInt8]], _ values: [String]) -> [UInt8] {
        precondition(names.count == values.count, "a child needs one value for each label of its family")
        var text: [UInt8] = []
        for (name, value) in zip(names, values) {
            if !text.isEmpty { text.append(UInt8(ascii: ",")) }
            text += name
            text.append(text: "=\"")
            for byte in value.utf8 { append(byte, escapingQuote: true, to: &text) }
            text.append(quote)
        }
        return text
    }

    /// All of a sample's line but its value: `name_suffix{labels} `.
    static func samplePrefix(_ name: [UInt8], suffix: String = "", labels: [UInt8]) -> [UInt8] {
        var text = name
        text.append(text: suffix)
        if !labels.isEmpty {
            text.append(UInt8(ascii: "{"))
            text += labels
            text.append(UInt8(ascii: "}"))
        }
        text.append(UInt8(ascii: " "))
        return text
    }

    private static func append(_ byte: UInt8, escapingQuote: Bool, to text: inout [UInt8]) {
        switch byte {
        case lineFeed:
            text.append(text: "\\n")
        case backslash:
            text.append(text: "\\\\")
        case quote where escapingQuote:
            text.append(text: "\\\"")
        default:
            text.append(byte)
        }
    }
}
