import JSON
import TestSupport
import Testing
import Time

@testable import Configuration

@Suite struct ConfigurationTracesTests {
    private static let url = #""url":"https://collector.example.com:4318/v1/traces""#
    /// Longer than the part of a name shown in a path.
    private static let longName = "X-" + String(repeating: "n", count: 70)

    private func read(_ otlp: String, in directory: ConfigurationDirectory) throws -> Configuration.TraceExport? {
        try directory.configuration(members: #""traces":{"otlp":{\#(otlp)}}"#).traces
    }

    @Test(arguments: ["", #","traces":{}"#]) func `nothing is exported by default`(member: String) throws {
        let directory = try ConfigurationDirectory()
        #expect(try directory.configuration(members: #""log":{}\#(member)"#).traces == nil)
    }

    @Test func `members have defaults`() throws {
        let traces = try #require(try read(Self.url, in: try ConfigurationDirectory()))
        #expect(traces.url == "https://collector.example.com:4318/v1/traces")
        #expect(traces.sampleRatio == 1)
        #expect(traces.timeoutSeconds == 10)
        #expect(traces.headers.isEmpty)
        #expect(traces.certificateAuthorities == nil)
        #expect(!traces.isParentBased)
    }

    @Test func `every member can be set`() throws {
        let directory = try ConfigurationDirectory()
        directory.environment["COLLECTOR"] = "Bearer of-something"
        try directory.scratch.write("authorities.pem", TestCertificate.shared.certificate, mode: 0o644)
        let traces = try #require(
            try read(
                Self.url + #","headers":{"X-Tenant":"support team","Authorization":{"env":"COLLECTOR"}},"sample_ratio":0.25"#
                    + #","parent_based":true,"timeout_seconds":3,"certificate_authorities":"authorities.pem""#, in: directory))
        #expect(traces.headerTexts.map { "\($0.name): \($0.value)" } == ["X-Tenant: support team", "Authorization: Bearer of-something"])
        #expect(traces.sampleRatio == 0.25)
        #expect(traces.timeoutSeconds == 3)
        #expect(traces.certificateAuthorities != nil)
        #expect(traces.isParentBased)
    }

    /// The values of all headers are masked for any name, also beside one whose value is in a file. The same text elsewhere is shown.
    @Test func `headers are shown without their values`() throws {
        let directory = try ConfigurationDirectory()
        directory.environment["COLLECTOR"] = "Bearer of-something"
        let headers =
            #"{"X-Tenant":"shop","Authorization":{"env":"COLLECTOR"},"X-Api-Key":"inline-of-something","#
            + #""X-Page":"https://a.test/of-something","DD-Site":"of-something","\#(Self.longName)":"of-something"}"#
        let configuration = try directory.configuration(
            members: #""traces":{"otlp":{\#(Self.url),"headers":\#(headers)}},"allow_insecure_secrets":true"#)
        let settings = configuration.settings.filter { $0.path.contains(".headers") }
        #expect(
            settings.map(\.path)
                == ["X-Tenant", "Authorization.env", "X-Api-Key", "X-Page", "DD-Site", String(Self.longName.prefix(64))].map {
                    "$.traces.otlp.headers.\($0)"
                })
        let mask = JSONValue.string(ShownConfiguration.mask)
        #expect(settings.map(\.value) == [mask, "COLLECTOR", mask, mask, mask, mask])
        #expect(!"\(configuration.settings)".contains("of-something"))
        let shown = configuration.shown.value
        #expect(
            shown["traces"]?["otlp"]?["headers"] == [
                "X-Tenant": mask, "Authorization": ["env": "COLLECTOR"], "X-Api-Key": mask, "X-Page": mask, "DD-Site": mask,
                Self.longName: mask,
            ])
        #expect(shown["apps"]?.elements[0]["app_id"] == "shop")
    }

    @Test func `a changed header is reported by its key`() throws {
        let directory = try ConfigurationDirectory()
        func configuration(_ value: String) throws -> Configuration {
            try directory.configuration(members: #""traces":{"otlp":{\#(Self.url),"headers":{"X-Tenant":"\#(value)"}}}"#)
        }
        let differences = try configuration("one").differences(to: configuration("two"))
        #expect(differences.map(\.path) == ["$.traces.otlp.headers.X-Tenant"])
        #expect(differences.map(\.next) == [.string(ShownConfiguration.mask)])
        #expect(differences.map(\.inForce) == [.string(ShownConfiguration.mask)])
    }

    @Test(arguments: [
        ("", "url: missing; give the collector's address for traces, such as https://collector.example.com:4318/v1/traces"),
        (#""url":"collector:4318""#, "url: an address begins with a scheme and ://, such as https://; add them"),
        (
            #""url":"http://collector:4318/v1/traces""#,
            #"url: plain http leaves this machine unprotected; give an https address, or set "allow_http": true beside it"#
        ),
        (url + #","sample_ratio":1.5"#, "sample_ratio: expected a number from 0 to 1"),
        (url + #","sample_ratio":-1"#, "sample_ratio: expected a number from 0 to 1"),
        (url + #","sample_ratio":"all""#, "sample_ratio: expected a number from 0 to 1"),
        (url + #","parent_based":1"#, "parent_based: expected true or false, found a number"),
        (url + #","timeout_seconds":0"#, "timeout_seconds: expected an integer from 1 to 60, found 0"),
        (
            url + #","protocol":"grpc""#,
            "protocol: unknown key; known here: allow_http, certificate_authorities, headers, parent_based, sample_ratio, timeout_seconds, "
                + "url"
        ),
        (url + #","headers":[]"#, #"headers: expected an object with a text or {"file": "PATH"} for each name, found a list"#),
        (
            url + #","headers":{"content-TYPE":"text/plain"}"#,
            "headers.content-TYPE: expected the name of a header that Deskgate does not write itself"
        ),
        (url + #","headers":{"a b":"c"}"#, "headers.a b: expected the name of a header that Deskgate does not write itself"),
        (url + #","headers":{"X-A":"1","x-a":"2"}"#, "headers.x-a: the same header occurs before"),
        (url + #","headers":{"X-A":"1\n2"}"#, "headers.X-A: expected visible ASCII characters and spaces"),
        (url + #","headers":{"X-A":""}"#, "headers.X-A: expected visible ASCII characters and spaces"),
        (
            url + #","headers":{"X-A":7}"#,
            #"headers.X-A: expected {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, found a number"#
        ),
        (
            url + #","headers":{"X-Api-Key":"in plain text"}"#,
            #"headers.X-Api-Key: a secret must not be in the configuration; give {"file": "PATH"}, {"env": "NAME"} or {"credential": "NAME"}, or set "#
                + #""allow_insecure_secrets": true at the top on a laptop"#
        ),
    ])
    func `mistakes are reported with their path`(otlp: String, problem: String) throws {
        let found = try ConfigurationDirectory().problems(members: #""traces":{"otlp":{\#(otlp)}}"#)
        #expect(found == ["$.traces.otlp.\(problem)"])
    }

    /// Members of `otlp` and of `listen`, and the warning of `check`.
    @Test(arguments: [
        ("", "", nil), (#","sample_ratio":0.1"#, "", nil), (#","sample_ratio":0"#, "", "sample_ratio"),
        (#","sample_ratio":0.0"#, "", "sample_ratio"),
        (#","parent_based":true"#, "", "parent_based"), (#","parent_based":true,"sample_ratio":0"#, "", "parent_based"),
        (#","parent_based":false,"sample_ratio":0"#, "", "sample_ratio"),
        (#","parent_based":true,"sample_ratio":0"#, #""allow":["192.0.2.0/24"]"#, nil),
        (#","parent_based":true"#, #""shared_header":{"name":"X-Shared-Secret","secret":{"env":"SHARED"}}"#, nil),
        (#","sample_ratio":0"#, #""allow":["192.0.2.0/24"]"#, "sample_ratio"),
    ])
    func `the sampling source is reported if it is every client or none`(otlp: String, listen: String, key: String?) throws {
        let directory = try ConfigurationDirectory()
        directory.environment["SHARED"] = TestSecret.text(91)
        let configuration = try directory.configuration(
            members: #""listen":{\#(listen)},"traces":{"otlp":{\#(Self.url)\#(otlp)}}"#)
        let paths = configuration.warnings(now: 0).map(\.path).filter { $0.hasPrefix("$.traces") }
        #expect(paths == key.map { ["$.traces.otlp.\($0)"] } ?? [])
        for warning in configuration.reportedWarnings(now: 0) { #expect(warning.message.isTranslated) }
    }

    @Test(arguments: [
        ("https://c.example:4317/v1/traces", true), ("https://c.example:4318", true), ("https://c.example:4318/", true),
        ("https://c.example/v1/metrics?a=1", true), ("https://c.example/api/traces", true),
        ("https://c.example:4318/v1/traces", false), ("https://c.example/otlp/v1/traces?key=4317", false),
    ])
    func `an address that cannot accept traces causes a warning`(url: String, isWarned: Bool) throws {
        let configuration = try ConfigurationDirectory().configuration(members: #""traces":{"otlp":{"url":"\#(url)"}}"#)
        let warnings = configuration.reportedWarnings(now: 0).filter { $0.path == "$.traces.otlp.url" }
        #expect(warnings.count == (isWarned ? 1 : 0))
        for warning in warnings { #expect(warning.message.isTranslated) }
    }

    @Test(arguments: ["http://127.0.0.1:4318/v1/traces", "http://localhost/v1/traces", "http://[::1]:4318/"])
    func `plain HTTP to another host is rejected`(url: String) throws {
        let directory = try ConfigurationDirectory()
        #expect(try directory.problems(members: #""traces":{"otlp":{"url":"\#(url)"}}"#) == [])
        #expect(try directory.problems(members: #""traces":{"otlp":{"url":"http://collector/","allow_http":true}}"#) == [])
    }
}
