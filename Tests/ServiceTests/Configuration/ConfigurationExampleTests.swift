import Core
import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The complete example, `docs/config.full.json`, and the examples for a first configuration.
@Suite struct ConfigurationExampleTests {
    private let text: [UInt8]
    private let example: JSONValue

    init() throws {
        let bytes = try File.read("\(packageRoot)/docs/config.full.json", limit: 1 << 20).bytes
        text = bytes
        example = try JSONDocument(parsing: bytes.span).value()
    }

    @Test func `the example has no problem`() throws {
        let directory = try Self.directory()
        let json = String(decoding: text, as: UTF8.self)
        #expect(try directory.problems(json) == [])
        let configuration = try directory.configuration(json)
        #expect(configuration.listen.settings.tls != nil)
        #expect(configuration.callers.networks?.count == 2)
        #expect(configuration.callers.sharedHeader?.secrets.count == 2)
        #expect(configuration.callers.clientAuthorities != nil)
        #expect(configuration.admin.tokens.map(\.name) == ["admin.token", "backend", "backend-next", "prometheus", "anna"])
        #expect(configuration.apps.map { $0.keys.map(\.id) } == [[1, 2, 3], [1]])
        #expect(configuration.apps.map(\.keyLifetime) == [KeyLifetime(maximumSeconds: 2_592_000, defaultSeconds: 604_800), KeyLifetime()])
        #expect(configuration.apps.map(\.notifiers) == [["log", "backend", "pyrus"], ["log", "backend", "sendbird"]])
        #expect(configuration.apps[0].routes.byType.map(\.type) == ["ios", "android", "huawei", "rustore"])
        #expect(configuration.apps[0].routes.others == "fcm-main")
        #expect(configuration.apps[0].verify?.secrets.count == 2)
        #expect(configuration.apps[0].webhook?.secrets.count == 2)
        #expect(configuration.apps[0].webhook?.signatureSecrets.count == 1)
        #expect(configuration.apps.map(\.helpDesk) == [.pyrus, .sendbird])
        #expect(configuration.apps.map { $0.sendbird?.chatTokens.count } == [nil, 2])
        let names = [
            "log", "backend", "apns-main", "apns-certificate", "fcm-main", "rustore-main", "hms-main", "pyrus", "pyrus-on-premises",
            "sendbird",
        ]
        let functions = ["get_order_list", "get_recommendation", "cancel_order", "connect_to_person"]
        #expect(configuration.bots.map { $0.functions.map(\.name) } == [functions])
        #expect(configuration.traces?.headers.map(\.name) == ["X-Tenant", "Authorization"])
        #expect(configuration.notifiers.map(\.name) == names)
        #expect(Set(configuration.notifiers.map(\.type)) == Set(NotifierType.allCases))
    }

    /// The examples for a first configuration.
    static let starts = ["config.example.json"] + ["authorization", "sendbird", "replicas"].map { "examples/config/\($0).json" }

    @Test(arguments: starts) func `an example for a first configuration is valid`(_ name: String) throws {
        let json = String(decoding: try File.read("\(packageRoot)/\(name)", limit: 1 << 20).bytes, as: UTF8.self)
        #expect(try Self.directory().problems(json) == [])
        #expect(json.split(separator: "\n").count <= 60, "nobody reads a longer one to its end")
    }

    @Test func `the example at the root has Pyrus, push notifications and a signed webhook`() throws {
        let json = String(decoding: try File.read("\(packageRoot)/config.example.json", limit: 1 << 20).bytes, as: UTF8.self)
        let configuration = try Self.directory().configuration(json)
        #expect(configuration.apps.map(\.helpDesk) == [.pyrus])
        #expect(configuration.apps[0].webhook?.signatureSecrets.count == 1)
        #expect(configuration.notifiers.map(\.type) == [.http, .apns, .fcm, .relay(.pyrus)])
    }

    @Test(arguments: [#""schema.json""#, "1"]) func `the address of a schema is accepted and ignored`(_ value: String) throws {
        let problems = try ConfigurationDirectory().problems(members: #""$schema":\#(value)"#)
        #expect(problems == (value == "1" ? ["$.$schema: expected a non-empty string, found a number"] : []))
    }

    /// A directory with all files that the examples name.
    static func directory() throws -> ConfigurationDirectory {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("tls/certificate.pem", TestCertificate.shared.certificate, mode: 0o644)
        try directory.scratch.write("tls/key.pem", TestCertificate.shared.key)
        try directory.scratch.write("tls/client-authorities.pem", TestCertificate.shared.certificate, mode: 0o644)
        try directory.scratch.write("tls/authorities.pem", TestCertificate.shared.certificate, mode: 0o644)
        try directory.writePushCredentials()
        directory.environment["DESKGATE_RUSTORE_TOKEN"] = TestSecret.text(8)
        try directory.scratch.write("secrets/pyrus-sig", TestSecret.text(4))
        try directory.scratch.write("secrets/app-sendbird.key", TestSecret.text(12))
        try directory.scratch.write("secrets/sendbird-chat-token", TestSecret.text(13))
        directory.environment["DESKGATE_SENDBIRD_PREVIOUS_CHAT_TOKEN"] = TestSecret.text(14)
        try directory.scratch.write("secrets/sendbird-desk-token", TestSecret.text(15))
        try directory.scratch.write("secrets/backend.whsec", TestSecret.signing(5))
        try directory.scratch.write("secrets/verify.whsec", TestSecret.signing(10))
        directory.environment["DESKGATE_VERIFY_PREVIOUS_SECRET"] = TestSecret.signing(11)
        directory.environment["DESKGATE_APP_KEY_2"] = TestSecret.text(2)
        try directory.writeCredential("app-key-3", TestSecret.text(3))
        directory.environment["DESKGATE_WEBHOOK_SECRET"] = TestSecret.text(6)
        directory.environment["DESKGATE_NEXT_WEBHOOK_SECRET"] = TestSecret.text(9)
        directory.environment["DESKGATE_BACKEND_PREVIOUS_SECRET"] = TestSecret.signing(7)
        for (index, name) in ["MINT", "NEXT_MINT", "OPERATE"].enumerated() {
            directory.environment["DESKGATE_\(name)_TOKEN"] = TestSecret.text(230 + index)
        }
        try directory.scratch.write("secrets/shared-header", TestSecret.text(221))
        directory.environment["DESKGATE_NEXT_SHARED_HEADER"] = TestSecret.text(222)
        try directory.scratch.write("secrets/metrics-token", TestSecret.text(220))
        try directory.scratch.write("secrets/collector-authorization", "Bearer \(TestSecret.text(240))")
        try directory.scratch.write("secrets/bot.whsec", TestSecret.signing(16))
        directory.environment["DESKGATE_BOT_PREVIOUS_SECRET"] = TestSecret.signing(17)
        try directory.scratch.write("secrets/shop-authorization", "Bearer \(TestSecret.text(241))")
        try directory.scratch.write("secrets/webhook-1.key", TestSecret.text(18))
        try directory.scratch.write("secrets/database-url", "postgres://deskgate@db.example.com/deskgate")
        directory.environment["DESKGATE_DATABASE_URL"] = "postgres://deskgate@db.example.com/deskgate"
        return directory
    }

    @Test func `the complete example has every key`() {
        #expect(keys(at: []) == Set(ConfigurationReader.rootKeys.names))
        #expect(keys(at: ["operators"]) == Set(ConfigurationReader.operatorsKeys.names))
        #expect(keys(at: ["operators", "thresholds"]) == Set(ConfigurationReader.thresholdKeys.names))
        // A listener has a host and a port, or a Unix socket.
        let listeners = ConfigurationReader.listenKeys + ConfigurationReader.adminKeys
        #expect(keys(at: ["listen"]).union(keys(at: ["admin"])) == Set(listeners.names))
        #expect(keys(at: ["listen", "shared_header"]) == Set(ConfigurationReader.sharedHeaderKeys.names))
        #expect(keys(at: ["admin", "tokens"]) == Set(ConfigurationReader.adminTokenKeys.names))
        #expect(keys(at: ["listen", "tls"]) == Set(ConfigurationReader.publicTLSKeys.names))
        #expect(keys(at: ["apps"]) == Set(ConfigurationReader.appKeys.names))
        #expect(keys(at: ["apps", "keys"]) == Set(ConfigurationReader.appKeyKeys.names))
        #expect(keys(at: ["apps", "keys", "secret"]) == Set(SecretReader.keys.names))
        #expect(keys(at: ["apps", "verify"]) == Set(ConfigurationReader.verifyKeys.names))
        #expect(keys(at: ["apps", "verify", "cache"]) == Set(ConfigurationReader.verifyCacheKeys.names))
        #expect(keys(at: ["apps", "webhook"]) == Set(ConfigurationReader.webhookKeys.names))
        #expect(keys(at: ["apps", "sendbird"]) == Set(ConfigurationReader.sendbirdKeys.names))
        #expect(keys(at: ["apps", "sendbird", "session_tokens"]) == Set(ConfigurationReader.sessionTokenKeys.names))
        #expect(keys(at: ["notifiers", "log"]) == Set(ConfigurationReader.logNotifierKeys.names))
        #expect(keys(at: ["notifiers", "backend"]) == Set(ConfigurationReader.httpKeys.names))
        let apns = keys(at: ["notifiers", "apns-main"]).union(keys(at: ["notifiers", "apns-certificate"]))
        #expect(apns == Set(ConfigurationReader.apnsKeys.names))
        #expect(keys(at: ["notifiers", "apns-main", "templates"]) == Set(ConfigurationReader.templatesKeys.names))
        #expect(keys(at: ["notifiers", "fcm-main"]) == Set(ConfigurationReader.fcmKeys.names))
        #expect(keys(at: ["notifiers", "rustore-main"]) == Set(ConfigurationReader.rustoreKeys.names))
        #expect(keys(at: ["notifiers", "hms-main"]) == Set(ConfigurationReader.hmsKeys.names))
        let pyrus = keys(at: ["notifiers", "pyrus"]).union(keys(at: ["notifiers", "pyrus-on-premises"]))
        #expect(pyrus == Set(NotifierType.relay(.pyrus).keys.names))
        #expect(keys(at: ["notifiers", "sendbird"]) == Set(NotifierType.relay(.sendbird).keys.names))
        #expect(keys(at: ["store"]) == Set(ConfigurationReader.storeKeys.names))
        #expect(keys(at: ["deliveries"]) == Set(ConfigurationReader.deliveriesKeys.names))
        #expect(keys(at: ["push_tokens"]) == Set(ConfigurationReader.pushTokensKeys.names))
        #expect(keys(at: ["push_tokens", "limits"]) == Set(ConfigurationReader.limitKeys([.user]).names))
        #expect(keys(at: ["apps", "security_keys"]) == Set(ConfigurationReader.keyLifetimeKeys.names))
        #expect(keys(at: ["security_keys"]) == Set(ConfigurationReader.securityKeysKeys.names))
        #expect(keys(at: ["bots"]) == Set(ConfigurationReader.botKeys.names))
        #expect(keys(at: ["bots", "first_message"]) == Set(ConfigurationReader.botFirstMessageKeys.names))
        #expect(keys(at: ["bots", "connect_to_person"]) == Set(ConfigurationReader.botHandOffKeys.names))
        #expect(keys(at: ["bots", "functions"]) == Set(ConfigurationReader.botFunctionKeys.names))
        #expect(keys(at: ["bots", "functions", "request"]) == Set(ConfigurationReader.botRequestKeys.names))
        #expect(keys(at: ["bots", "functions", "limits"]) == Set(ConfigurationReader.limitKeys([.user]).names))
        #expect(keys(at: ["traces"]) == Set(ConfigurationReader.tracesKeys.names))
        #expect(keys(at: ["traces", "otlp"]) == Set(ConfigurationReader.otlpKeys.names))
        #expect(keys(at: ["log"]) == Set(ConfigurationReader.logKeys.names))
        #expect(keys(at: ["reload"]) == Set(ConfigurationReader.reloadKeys.names))
        #expect(keys(at: ["shutdown"]) == Set(ConfigurationReader.shutdownKeys.names))
    }

    @Test func `the example contains no secret`() throws {
        #expect(values(at: ["allow_insecure_secrets"], in: example) == [false])
    }

    /// The keys of all objects at a path; lists on the path are searched.
    private func keys(at place: [String]) -> Set<String> {
        Set(
            values(at: place[...], in: example).flatMap { value -> [String] in
                guard case .object(let object) = value else { return [] }
                return object.members.map(\.key)
            })
    }

    private func values(at place: ArraySlice<String>, in value: JSONValue) -> [JSONValue] {
        if case .array(let elements) = value { return elements.flatMap { values(at: place, in: $0) } }
        guard let key = place.first else { return [value] }
        guard case .object(let object) = value, let member = object[key] else { return [] }
        return values(at: place.dropFirst(), in: member)
    }
}
