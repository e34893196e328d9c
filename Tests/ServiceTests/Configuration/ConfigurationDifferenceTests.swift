import JSON
import TestSupport
import Testing

@testable import Configuration

@Suite struct ConfigurationDifferenceTests {
    private let directory: ConfigurationDirectory
    private static let base =
        #""listen":{"port":1},"admin":{"port":2,"token":{"file":"secrets/admin-token"}},"push_tokens":{"forget_after_days":9}"#

    init() throws { directory = try ConfigurationDirectory() }

    /// The differences between two sets of members, as `path current -> next, action`.
    private func differences(_ before: String, _ after: String, between change: () throws -> Void = {}) throws -> [String] {
        let former = try directory.configuration(members: before)
        try change()
        return former.differences(to: try directory.configuration(members: after)).map { difference in
            func text(_ value: JSONValue?) -> String { value.map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "-" }
            return "\(difference.path) \(text(difference.inForce)) -> \(text(difference.next)), "
                + (difference.isContentOfFile ? "content, " : "") + difference.takesEffect.rawValue
        }
    }

    @Test func `equal members are no difference`() throws {
        #expect(try differences(Self.base, Self.base) == [])
        #expect(
            try differences(Self.base, Self.base + #","shutdown":{"drain_seconds":20},"log":{}"#) == [], "what is written is the default")
    }

    @Test func `each key is reported with the action that applies it`() throws {
        let after =
            #""listen":{"port":3},"admin":{"port":2,"token":{"file":"secrets/read-token"}},"log":{"level":"debug"},"security_keys":{"longest_life_seconds":5}"#
        let found = try differences(Self.base, after)
        #expect(
            found.sorted() == [
                #"$.admin.token.file "secrets/admin-token" -> "secrets/read-token", reload"#, "$.listen.port 1 -> 3, restart",
                #"$.log.level "info" -> "debug", reload"#, "$.push_tokens.forget_after_days 9 -> 270, restart",
                "$.security_keys.default_life_seconds 604800 -> 5, reload", "$.security_keys.longest_life_seconds - -> 5, reload",
            ])
    }

    /// Adding or removing an object requires the action of the object's own key.
    @Test func `a certificate is live and TLS is not`() throws {
        try directory.scratch.write("certificate.pem", TestCertificate.shared.certificate, mode: 0o644)
        try directory.scratch.write("key.pem", TestCertificate.shared.key)
        let tls = #""listen":{"port":1,"tls":{"certificate":"certificate.pem","key":"key.pem"}}"#
        let found = try differences(#""listen":{"port":1}"#, tls)
        #expect(found == [#"$.listen.tls.certificate - -> "certificate.pem", restart"#, #"$.listen.tls.key - -> "key.pem", restart"#])
        #expect(
            try differences(tls, tls) {
                try directory.scratch.write("certificate.pem", TestCertificate.shared.certificate + "\n", mode: 0o644)
            }
                == [#"$.listen.tls.certificate "certificate.pem" -> "certificate.pem", content, reload"#])
    }

    /// Secrets and the hidden parts of an address are compared but not shown.
    @Test func `masked values are compared`() throws {
        let content = try differences(Self.base, Self.base) { try directory.scratch.write("secrets/admin-token", TestSecret.text(201)) }
        #expect(content == [#"$.admin.token.file "secrets/admin-token" -> "secrets/admin-token", content, reload"#])
        func notifier(_ path: String, _ secret: Int) -> String {
            #""allow_insecure_secrets":true,"notifiers":{"n":{"type":"http","url":"https://example.com/\#(path)","secret":"\#(TestSecret.signing(secret))"}}"#
        }
        #expect(
            try differences(notifier("a", 5), notifier("b", 6)) == [
                #"$.notifiers.n.url "https://example.com/•••" -> "https://example.com/•••", reload"#,
                #"$.notifiers.n.secret "•••" -> "•••", reload"#,
            ])
    }

    @Test func `digests are useless outside the process`() throws {
        let setting = try #require(try directory.configuration(members: Self.base).settings.first { $0.path == "$.admin.token.file" })
        guard case .object(let shown) = setting.json else { throw SocketClient.Failure.closed }
        #expect(shown.members.map(\.key) == ["path", "value", "from"])
    }
}
