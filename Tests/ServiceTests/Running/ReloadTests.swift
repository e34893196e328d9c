import Core
import Crypto
import HTTPServer
import Observability
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A change of the configuration during requests.
@Suite struct ReloadTests {
    private let fixture: ServiceFixture

    init() throws {
        fixture = try ServiceFixture(json: ServiceFixture.json(keys: [1]))
    }

    private func reload(_ service: RunningService, _ json: String) throws -> Bool {
        try fixture.directory.scratch.write("config.json", json)
        return service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: fixture.directory.file) }
    }

    private func authorize(_ key: TestKey, _ client: SocketClient) throws -> Int {
        let body = try AuthorizeCases.json(["app_id": "\"\(key.app)\"", "security_key": "\"\(key.text())\""])
        return try ExchangeCase(name: "authorize", body: body, status: 0, answer: "").send(to: client).status
    }

    private func metrics(_ service: RunningService, headers: [String: String] = [:]) throws -> ReceivedResponse {
        try ExchangeCase(name: "metrics", method: .get, path: "/metrics", headers: headers, status: 0, answer: "")
            .send(to: SocketClient(service.adminAddress))
    }

    private func errors() throws -> [String] {
        try fixture.log.lines().filter { $0.hasPrefix("ERROR") }
    }

    @Test func `takes effect on the next request`() throws {
        try fixture.withService { service in
            let client = try SocketClient(service.publicAddress)
            let (first, second, bank) = (TestKey(), TestKey(keyID: 2, secret: 2), TestKey(app: "bank", keyID: 3, secret: 3))
            func statuses() throws -> [Int] { try [first, second, bank].map { try authorize($0, client) } }
            #expect(try statuses() == [200, 403, 403])
            #expect(try reload(service, ServiceFixture.json(keys: [1, 2])))
            #expect(try statuses() == [200, 200, 403])
            #expect(try reload(service, ServiceFixture.json(keys: [2])))
            #expect(try statuses() == [403, 200, 403])
            #expect(try reload(service, ServiceFixture.json(app: "bank", keys: [3])))
            #expect(try statuses() == [403, 403, 200])
            let reloads = try metrics(service).text.split(separator: "\n").filter { $0.hasPrefix("deskgate_config_reloads_total") }
            #expect(
                reloads == [
                    #"deskgate_config_reloads_total{result="failure"} 0"#, #"deskgate_config_reloads_total{result="success"} 3"#,
                ])
        }
        #expect(try fixture.log.lines().filter { $0 == #"INFO  configuration reloaded apps=1"# }.count == 3)
    }

    @Test func `replaces the token and the policy`() throws {
        try fixture.withService { service in
            try fixture.directory.scratch.write("secrets/admin-token", TestSecret.text(201))
            let client = try SocketClient(service.publicAddress)
            let old = TestKey(issuedAt: TestTime.now - 161)
            #expect(try authorize(old, client) == 200)
            let members = #""security_keys":{"longest_life_seconds":100}"#
            let json = ServiceFixture.json(keys: [1], admin: #""port":0,"metrics_need_token":true"#, members: members)
            #expect(try reload(service, json))
            #expect(try authorize(old, client) == 403)
            #expect(try metrics(service).status == 401)
            #expect(try metrics(service, headers: AdminCases.authorization).status == 401)
            #expect(try metrics(service, headers: ["Authorization": "Bearer \(TestSecret.text(201))"]).status == 200)
        }
    }

    @Test func `keeps the counters`() throws {
        try fixture.withService { service in
            let client = try SocketClient(service.publicAddress)
            for _ in 1...3 {
                #expect(try authorize(TestKey(), client) == 200)
                #expect(try reload(service, ServiceFixture.json(keys: [1, 2])))
            }
            let text = try metrics(service).text
            #expect(text.contains(#"{app="shop",result="authorized",reason="valid",key_id="1"} 3"#))
            #expect(text.contains(#"{listener="public",route="/pyrus/authorize",code="200"} 3"#))
            #expect(text.contains("deskgate_authorize_duration_seconds_count 3"))
        }
    }

    @Test func `changes nothing if the file is invalid`() throws {
        try fixture.withService { service in
            let client = try SocketClient(service.publicAddress)
            #expect(try !reload(service, "{"))
            #expect(try !reload(service, ServiceFixture.json(keys: [2, 2])))
            #expect(try authorize(TestKey(), client) == 200)
            #expect(try authorize(TestKey(keyID: 2, secret: 2), client) == 403)
            let text = try metrics(service).text
            #expect(text.contains(#"deskgate_config_reloads_total{result="failure"} 2"#))
            #expect(text.contains(#"deskgate_config_reloads_total{result="success"} 0"#))
        }
        let errors = try errors()
        #expect(errors.first?.hasPrefix("ERROR configuration not reloaded reason=") == true)
        let (file, app) = (fixture.directory.file, #"(app_id \"shop\")"#)
        let place = #"ERROR configuration not reloaded reason="\#(file):"#
        try #require(errors.count == 3)
        #expect(errors[1].hasPrefix(place))
        #expect(errors[1].hasSuffix(#": $.apps[0].keys[1].id \#(app): another key of this app has this id already""#))
        #expect(errors[2].hasPrefix(place))
        let same = "the same secret as $.apps[0].keys[0].secret; give each key a secret of its own"
        #expect(errors[2].hasSuffix(#": $.apps[0].keys[1].secret \#(app): \#(same)""#))
    }

    @Test(arguments: [
        ("$.listen.port", "1:12", ServiceFixture.json(keys: [2], listen: #""port":1"#)),
        ("$.listen.max_connections", "1:21", ServiceFixture.json(keys: [2], listen: #""port":0,"max_connections":7"#)),
        ("$.admin.port", "1:31", ServiceFixture.json(keys: [2], admin: #""port":1"#)),
        ("$.log.format", "2:92", ServiceFixture.json(keys: [2], members: #""log":{"format":"text"}"#)),
        ("$.shutdown.drain_seconds", "2:97", ServiceFixture.json(keys: [2], members: #""shutdown":{"drain_seconds":1}"#)),
    ])
    func `rejects changes that need a restart`(key: String, place: String, json: String) throws {
        try fixture.withService { service in
            #expect(try !reload(service, json))
            let client = try SocketClient(service.publicAddress)
            #expect(try authorize(TestKey(), client) == 200)
            #expect(try authorize(TestKey(keyID: 2, secret: 2), client) == 403)
            #expect(try metrics(service).text.contains(#"deskgate_config_reloads_total{result="failure"} 1"#))
        }
        let reason = "\(fixture.directory.file):\(place): \(key): cannot change while serving; restart"
        #expect(try errors() == [#"ERROR configuration not reloaded reason="\#(reason)""#])
    }

    @Test func `a removed key is reported at its object`() throws {
        try fixture.withService { (service) throws in
            #expect(try !reload(service, ServiceFixture.json(listen: "")))
        }
        let reason = "\(fixture.directory.file):1:2: $.listen.port: cannot change while serving; restart"
        #expect(try errors() == [#"ERROR configuration not reloaded reason="\#(reason)""#])
    }

    @Test(arguments: [false, true]) func `a renewed certificate does not prevent a reload`(_ isAdmin: Bool) throws {
        let tls = #""tls":{"certificate":"certificate.pem","key":"key.pem"}"#
        func json(keys: [Int]) -> String {
            isAdmin
                ? ServiceFixture.json(keys: keys, admin: #""port":0,\#(tls)"#)
                : ServiceFixture.json(keys: keys, listen: #""port":0,\#(tls)"#)
        }
        func install(_ certificate: String, _ key: String) throws {
            try fixture.directory.scratch.write("certificate.pem", certificate)
            try fixture.directory.scratch.write("key.pem", key)
        }
        try install(TestCertificate.shared.certificate, TestCertificate.shared.key)
        try fixture.directory.scratch.write("config.json", json(keys: [1]))
        let service = try RunningService(Configuration(contentsOf: fixture.directory.file), logger: fixture.log.logger)
        defer { service.stop() }
        #expect(try reload(service, json(keys: [1, 2])))
        let renewed = try LoopbackCertificate()
        try install(renewed.certificate, renewed.key)
        let address = isAdmin ? service.adminAddress : service.publicAddress
        #expect(try Self.isShown(TestCertificate.shared.certificate, by: address))
        #expect(try reload(service, json(keys: [2])))
        #expect(try Self.isShown(renewed.certificate, by: address))
        #expect(try fixture.log.lines().contains("INFO  certificate renewed listener=\(isAdmin ? "admin" : "public")"))
        // Commands expect the certificate in the file.
        guard isAdmin else { return }
        var configuration = try Configuration(contentsOf: fixture.directory.file)
        configuration.admin.listener.address = address
        #expect(try AdminAccess(configuration).perform(DeliveryAction.list(DeliveryFilter(), after: nil, limit: 1)).status == 200)
        let expiry = try #require(CertificatePair.expiry(ofCertificate: renewed.certificate))
        #expect(try openMetrics(configuration).contains("deskgate_certificate_expiry_timestamp_seconds{listener=\"admin\"} \(expiry)\n"))
    }

    private func openMetrics(_ configuration: Configuration) throws -> String {
        try Command("sh", "-c", "exec curl -sSk 'https://\(configuration.admin.listener.address)/metrics'").output
    }

    /// Whether a listener presents this certificate.
    private static func isShown(_ certificate: String, by address: ListenAddress) throws -> Bool {
        let shown = try Command("sh", "-c", "openssl s_client -connect \(address) </dev/null 2>/dev/null | openssl x509")
        return shown.output == certificate
    }

    @Test func `changes the log level`() throws {
        try fixture.withService { service in
            let client = try SocketClient(service.publicAddress)
            #expect(try authorize(TestKey(), client) == 200)
            #expect(try reload(service, ServiceFixture.json(keys: [1], members: #""log":{"level":"debug"}"#)))
            #expect(try authorize(TestKey(), client) == 200)
            #expect(try reload(service, ServiceFixture.json(keys: [1], members: #""log":{"level":"error"}"#)))
            #expect(try authorize(TestKey(secret: 9), client) == 403)
        }
        let lines = try fixture.log.lines()
        #expect(lines.filter { $0.contains(" authorize ") }.count == 1)
        #expect(lines.contains { $0.hasPrefix("DEBUG authorize result=authorized reason=valid ") })
    }

    @Test func `reports every part that needs a restart`() throws {
        try fixture.withService { service in
            let members = #""log":{"format":"text","level":"debug"},"shutdown":{"drain_seconds":1}"#
            let isInForce = try reload(service, ServiceFixture.json(admin: #""port":1"#, listen: #""port":2"#, members: members))
            #expect(!isInForce)
        }
        #expect(try errors().count == 4)
    }

    @Test func `may use another number of processors`() throws {
        var other = fixture.configuration
        other.listen.settings.threads += 1
        other.admin.listener.settings.threads += 1
        #expect(fixture.configuration.fixedKeys(differingFrom: other) == [])
    }
}
