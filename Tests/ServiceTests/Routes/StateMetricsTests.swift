import Core
import Crypto
import HTTPServer
import Observability
import POSIX
import Storage
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct StateMetricsTests {
    private func samples(of metric: String, in text: String) -> [String] {
        text.split(separator: "\n").filter { $0.hasPrefix(metric) }.map { String($0.dropFirst(metric.count)) }
    }

    private func scrape(_ graph: ServiceGraph) -> String { InProcessClient(graph.adminRouter).send(.get, "/metrics").text }

    @Test func `dates of the configuration are reported`() throws {
        let json = ServiceFixture.json().replacing(#"app-1.key"}"#, with: #"app-1.key"},"not_after":2000000000"#)
            .replacing(#""app_id":"shop""#, with: #""app_id":"shop","shadow_until":\#(TestTime.now + 60)"#)
        let fixture = try ServiceFixture(json: json)
        let graph = try fixture.graph()
        let text = scrape(graph)
        #expect(samples(of: "deskgate_key_not_after_timestamp_seconds", in: text) == [#"{app="shop",key_id="1"} 2000000000"#])
        #expect(samples(of: "deskgate_shadow_until_timestamp_seconds", in: text) == [#"{app="shop"} \#(TestTime.now + 60)"#])
        let digest = try Command("sha256sum", fixture.directory.file).output.prefix(64)
        #expect(samples(of: "deskgate_config_info", in: text) == [#"{sha256="\#(digest)"} 1"#])
        graph.record.noteLoaded(try fixture.directory.configuration(ServiceFixture.json()))
        let next = try Command("sha256sum", fixture.directory.file).output.prefix(64)
        #expect(samples(of: "deskgate_config_info", in: scrape(graph)) == [#"{sha256="\#(next)"} 1"#])
        #expect(samples(of: "deskgate_key_not_after_timestamp_seconds", in: scrape(graph)) == [])
    }

    /// The digest of a file with a weak secret would help to guess it.
    @Test func `a file with secrets has no digest`() throws {
        let members = #""allow_insecure_secrets":true,"admin":{"token":"short"}"#
        #expect(try ConfigurationDirectory().configuration(members: members).fileDigest.isEmpty)
        #expect(try ConfigurationDirectory().configuration(members: #""allow_insecure_secrets":true"#).fileDigest.utf8.count == 64)
    }

    @Test func `limits are reported`() throws {
        let fixture = try ServiceFixture(
            json: ServiceFixture.json(
                admin: #""port":0,"max_connections":5"#, listen: #""port":0,"max_connections":7,"bodies_megabytes":4"#,
                members: #""store":{"type":"memory","max_pending":1000}"#))
        try fixture.withService { service in
            let visitor = try SocketClient(service.publicAddress)
            let live = ExchangeCase(name: "live", method: .get, path: "/livez", status: 200, answer: "")
            #expect(try live.send(to: visitor).status == 200)
            let metrics = ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 200, answer: "")
            let text = try metrics.send(to: SocketClient(service.adminAddress)).text
            #expect(samples(of: "deskgate_queue_pending_limit", in: text) == [" 1000"])
            #expect(samples(of: "deskgate_queue_pending_per_notifier_limit", in: text) == [" 250"])
            #expect(samples(of: "deskgate_http_connections{", in: text) == [#"listener="admin"} 1"#, #"listener="public"} 1"#])
            #expect(samples(of: "deskgate_http_connections_limit{", in: text) == [#"listener="admin"} 5"#, #"listener="public"} 7"#])
            #expect(samples(of: "deskgate_http_bodies_bytes{", in: text) == [#"listener="admin"} 0"#, #"listener="public"} 0"#])
            #expect(samples(of: "deskgate_http_bodies_limit_bytes{", in: text).contains(#"listener="public"} 4194304"#))
            #expect(!text.contains("\ndeskgate_store_backup_timestamp_seconds "), "memory cannot be backed up")
            #expect(!text.contains("\ndeskgate_store_clock_offset_seconds "), "and has no clock")
        }
    }

    @Test func `the last backup is reported`() throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json(members: #""store":{"path":"store.db","minimum_free_megabytes":0}"#))
        let path = fixture.directory.scratch.path("store.db")
        #expect(StoreFile.lastBackup(path) == nil)
        try fixture.withService { service in
            func reported() throws -> [String] {
                let metrics = ExchangeCase(name: "metrics", method: .get, path: "/metrics", status: 200, answer: "")
                return samples(
                    of: "deskgate_store_backup_timestamp_seconds", in: try metrics.send(to: SocketClient(service.adminAddress)).text)
            }
            #expect(try reported() == [" 0"])
            #expect(try fixture.configuration.store.backUp(to: fixture.directory.scratch.path("copy.db")) == nil)
            let last = try #require(StoreFile.lastBackup(path))
            #expect(eventually { (try? reported()) == [" \(last)"] })
        }
        // The next backup replaces the record, and a malformed record is ignored.
        try StoreFile.noteBackup(of: path, at: 5)
        #expect(StoreFile.lastBackup(path) == 5)
        #expect(try FileSystem.mode(of: "\(path).backed-up") == 0o600)
        try fixture.directory.scratch.write("store.db.backed-up", "soon\n")
        #expect(StoreFile.lastBackup(path) == nil)
        let missing = fixture.directory.scratch.path("none/store.db")
        #expect(throws: SystemError.self) { try StoreFile.noteBackup(of: missing, at: 5) }
    }

    @Test func `states of backends are reported from the start`() throws {
        let directory = try ConfigurationDirectory()
        try directory.scratch.write("secrets/verify.whsec", TestSecret.signing(10))
        let verify = #""verify":{"mode":"key_and_backend","url":"http://127.0.0.1:1/","secret":{"file":"secrets/verify.whsec"}}"#
        let json = ServiceFixture.json().replacing(#""app_id":"shop""#, with: #""app_id":"shop",\#(verify)"#)
        let fixture = try ServiceFixture(in: directory, json: json)
        try fixture.withService { service in
            func reported() -> [String] { samples(of: "deskgate_backend_state", in: scrape(service.graph)) }
            #expect(
                reported() == [
                    #"{app="shop",state="failing"} 0"#, #"{app="shop",state="half_open"} 0"#, #"{app="shop",state="open"} 0"#,
                    #"{app="shop",state="working"} 1"#,
                ])
            let client = try SocketClient(service.publicAddress)
            for number in 1...5 {
                let user = "user-\(number)"
                let fields = ["user_id": "\"\(user)\"", "security_key": "\"\(try TestKey(user: user).text())\""]
                let body = try AuthorizeCases.json(fields)
                let ask = ExchangeCase(name: "ask", path: "/pyrus/authorize", body: body, status: 503, answer: "")
                #expect(try ask.send(to: client).status == 503)
            }
            #expect(reported().contains(#"{app="shop",state="open"} 1"#))
            #expect(reported().contains(#"{app="shop",state="working"} 0"#))
        }
    }
}
