import Testing

@testable import Observability

struct ExpositionTests {
    func text(_ registry: MetricsRegistry) -> String {
        String(decoding: registry.render(), as: UTF8.self)
    }

    @Test func `renders the complete text`() {
        let registry = MetricsRegistry()
        let requests = registry.counter("requests_total", "Requests by \"result\",\nand C:\\path.", labels: ["app", "result"])
        requests.child("shop", "ok").increment(by: 41)
        requests.child("bank", "say \"no\"\nC:\\").increment()
        requests.child("shop", "ok").increment()
        registry.gauge("connections", "Open connections.").add(-3)
        registry.gauge("age_seconds", "Age.") { 0.25 }
        registry.gauge("pending", "Waiting.", labels: ["to"]) {
            [ComputedSample("b", value: 1), ComputedSample("a", value: 1), ComputedSample("a", value: 2)]
        }
        registry.counter("lost_total", "Lost.") { 7 }
        let duration = registry.histogram("duration_seconds", "Duration.", labels: ["app"], bounds: [0.00005, 0.5, 1])
        duration.child("shop").observe(nanoseconds: 50_000)
        duration.child("shop").observe(nanoseconds: 1_500_000_000)
        _ = registry.counter("unused_total", "No child yet.", labels: ["app"])
        #expect(
            text(registry) == #"""
                # HELP requests_total Requests by "result",\nand C:\\path.
                # TYPE requests_total counter
                requests_total{app="bank",result="say \"no\"\nC:\\"} 1
                requests_total{app="shop",result="ok"} 42
                # HELP connections Open connections.
                # TYPE connections gauge
                connections -3
                # HELP age_seconds Age.
                # TYPE age_seconds gauge
                age_seconds 0.25
                # HELP pending Waiting.
                # TYPE pending gauge
                pending{to="a"} 2
                pending{to="b"} 1
                # HELP lost_total Lost.
                # TYPE lost_total counter
                lost_total 7
                # HELP duration_seconds Duration.
                # TYPE duration_seconds histogram
                duration_seconds_bucket{app="shop",le="5e-05"} 1
                duration_seconds_bucket{app="shop",le="0.5"} 1
                duration_seconds_bucket{app="shop",le="1"} 1
                duration_seconds_bucket{app="shop",le="+Inf"} 2
                duration_seconds_sum{app="shop"} 1.50005
                duration_seconds_count{app="shop"} 2
                # HELP unused_total No child yet.
                # TYPE unused_total counter

                """#)
    }

    @Test func `an empty registry renders an empty text`() {
        #expect(MetricsRegistry().render().isEmpty)
    }

    @Test(arguments: UInt8(0)...127)
    func `an ASCII byte in a label value is escaped`(_ byte: UInt8) {
        let registry = MetricsRegistry()
        let value = String(Unicode.Scalar(byte))
        _ = registry.gauge("g", "", labels: ["l"]).child(value)
        let escaped = [0x0A: "\\n", 0x22: "\\\"", 0x5C: "\\\\"][byte] ?? value
        #expect(registry.render() == Array("# HELP g \n# TYPE g gauge\ng{l=\"\(escaped)\"} 0\n".utf8))
    }

    @Test(arguments: UInt8(0)...127)
    func `an ASCII byte in a help text is escaped`(_ byte: UInt8) {
        let registry = MetricsRegistry()
        let value = String(Unicode.Scalar(byte))
        _ = registry.gauge("g", value)
        let escaped = [0x0A: "\\n", 0x5C: "\\\\"][byte] ?? value
        #expect(registry.render() == Array("# HELP g \(escaped)\n# TYPE g gauge\ng 0\n".utf8))
    }

    @Test(arguments: [
        (0.00005, "5e-05"), (0.1, "0.1"), (1, "1"), (-0.0, "-0"), (1e16, "1e+16"), (1_773_130_512, "1773130512"), (.infinity, "+Inf"),
        (-.infinity, "-Inf"), (.nan, "NaN"),
    ])
    func numbers(_ number: Double, _ expected: String) {
        let registry = MetricsRegistry()
        registry.gauge("g", "") { number }
        #expect(text(registry) == "# HELP g \n# TYPE g gauge\ng \(expected)\n")
    }

    @Test func `the same definition and labels return the same child`() {
        let registry = MetricsRegistry()
        let first = registry.counter("c_total", "C.", labels: ["a", "b"])
        let again = registry.counter("c_total", "C.", labels: ["a", "b"])
        #expect(first.child("x", "y") === again.child("x", "y"))
        #expect(first.child("x", "y") !== first.child("y", "x"))
        #expect(first.child("\",b=\"", "") !== first.child("", "\",b=\""))
        #expect(registry.counter("d_total", "D.") === registry.counter("d_total", "D."))
        #expect(registry.histogram("h", "H.") === registry.histogram("h", "H."))
    }

    @Test func `children are ordered by the bytes of their labels`() {
        let registry = MetricsRegistry()
        let family = registry.gauge("g", "", labels: ["l"])
        let values = ["m", "b", "z", "a", "", "ab", "Z", "é", "aa", "m", "b"]
        let children = values.map { family.child($0) }
        #expect(children[0] === children[9] && children[1] === children[10])
        let order = lines(registry.render()).dropFirst(2).map { $0.split(separator: "\"", omittingEmptySubsequences: false)[1] }
        #expect(order == ["", "Z", "a", "aa", "ab", "b", "m", "z", "é"])
    }

    @Test func `canonically equal labels are different children`() {
        let family = MetricsRegistry().counter("c_total", "C.", labels: ["a"])
        #expect(family.child("caf\u{e9}") !== family.child("cafe\u{301}"))
    }

    @Test func `a computed gauge that is registered again calls the new closure`() {
        let registry = MetricsRegistry()
        registry.gauge("g", "") { 1 }
        registry.gauge("g", "") { 2 }
        #expect(text(registry) == "# HELP g \n# TYPE g gauge\ng 2\n")
    }

    @Test func `a computed gauge may use the registry`() {
        let registry = MetricsRegistry()
        registry.gauge("g", "") { [registry] in Double(registry.counter("c_total", "").current) }
        registry.counter("c_total", "").increment(by: 5)
        #expect(text(registry).contains("g 5\n"))
    }

    @Test func `a gauge can be set and moved`() {
        let gauge = MetricsRegistry().gauge("g", "")
        gauge.set(10)
        gauge.add(5)
        gauge.add(-20)
        #expect(gauge.current == -5)
    }
}
