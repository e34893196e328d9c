internal import Threading

/// The metrics of the process, and their Prometheus text.
///
/// Registering the same definition again returns the same family, so counters survive a reload of the configuration. Traps on an invalid
/// name, and on a name with another definition: both are bugs in the program.
package final class MetricsRegistry: Sendable {
    /// The media type of the result of `render()`.
    package static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    private let families = Monitor<[any MetricSource]>([])

    package init() {}

    /// The counter with this name, without labels; by convention the name ends in `_total`.
    package func counter(_ name: String, _ help: String) -> Counter {
        counter(name, help, labels: []).child()
    }

    /// The counters with this name, one for each set of label values.
    /// - Parameter hidesZeros: whether a counter is hidden until its first increment or a call of `showZero`.
    package func counter(_ name: String, _ help: String, labels: [String], hidesZeros: Bool = false) -> MetricFamily<Counter> {
        register(MetricDefinition(.counter, name: name, help: help, labels: labels)) {
            MetricFamily($0) { Counter($0, labels: $1, hidesZero: hidesZeros) }
        }
    }

    /// A computed counter: the closure is called at each rendering, as for a computed gauge, and its value must never go down.
    package func counter(_ name: String, _ help: String, value: @escaping @Sendable () -> Double) {
        compute(MetricDefinition(.counter, name: name, help: help, labels: [])) { [ComputedSample(value: value())] }
    }

    package func gauge(_ name: String, _ help: String) -> Gauge {
        gauge(name, help, labels: []).child()
    }

    /// The gauges with this name, one for each set of label values.
    package func gauge(_ name: String, _ help: String, labels: [String]) -> MetricFamily<Gauge> {
        register(MetricDefinition(.gauge, name: name, help: help, labels: labels)) { MetricFamily($0, make: Gauge.init) }
    }

    /// A gauge computed at each rendering; registering it again replaces the closure.
    ///
    /// The closure is called on the rendering thread, outside every lock of the registry; it must not block.
    package func gauge(_ name: String, _ help: String, value: @escaping @Sendable () -> Double) {
        gauge(name, help, labels: []) { [ComputedSample(value: value())] }
    }

    /// Gauges computed at each rendering, one for each returned sample; the rules of the computed gauge without labels apply.
    package func gauge(_ name: String, _ help: String, labels: [String], samples: @escaping @Sendable () -> [ComputedSample]) {
        compute(MetricDefinition(.gauge, name: name, help: help, labels: labels), samples)
    }

    /// The histogram with this name, without labels; the rules for bounds are those of the labelled one.
    package func histogram(_ name: String, _ help: String, bounds: [Double] = Histogram.defaultBounds) -> Histogram {
        histogram(name, help, labels: [], bounds: bounds).child()
    }

    /// The histograms with this name, one for each set of label values; by convention the name ends in `_seconds`.
    ///
    /// Bounds are in seconds, ascending, between 1 ns and 1e9 seconds, at most 31; the bucket `+Inf` is added.
    package func histogram(
        _ name: String, _ help: String, labels: [String], bounds: [Double] = Histogram.defaultBounds
    ) -> MetricFamily<Histogram> {
        register(MetricDefinition(.histogram, name: name, help: help, labels: labels, bounds: bounds)) {
            MetricFamily($0, make: Histogram.init)
        }
    }

    /// All metrics as Prometheus text 0.0.4: families in the order of registration, children sorted by their label bytes.
    package func render() -> [UInt8] {
        let snapshot = families.withLock { $0 }
        var output: [UInt8] = []
        for family in snapshot { family.append(to: &output) }
        return output
    }

    private func compute(_ definition: MetricDefinition, _ samples: @escaping @Sendable () -> [ComputedSample]) {
        register(definition) { ComputedFamily($0, samples: samples) }.replaceSamples(samples)
    }

    private func register<Family: MetricSource>(_ definition: MetricDefinition, _ make: (MetricDefinition) -> Family) -> Family {
        families.withLock { families in
            if let existing = families.first(where: { $0.definition == definition }) {
                guard let family = existing as? Family else { preconditionFailure("metric registered both as stored and as computed") }
                return family
            }
            let taken = Set(families.flatMap(\.definition.sampleNames))
            precondition(taken.isDisjoint(with: definition.sampleNames), "metric name registered with another definition")
            let family = make(definition)
            families.append(family)
            return family
        }
    }
}

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

    /// `app="shop",result="ok"`, empty without labels. Escaping is injective, so this text is also a child's identity.
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

    /// A sample's line without its value: `name_suffix{labels} `.
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
