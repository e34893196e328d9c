import Bytes
import HTTPServer
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import AdminAPI
@testable import Service

/// Reports of a listener without room for connections.
@Suite struct ListenerPressureTests {
    private static let names = "deskgate_http_connections_over_limit_total{"

    private static let live = ExchangeCase(name: "live", method: .get, path: "/livez", status: 200, answer: "")

    private func counts(_ registry: MetricsRegistry) -> [String] {
        String(decoding: registry.render(), as: UTF8.self).split(separator: "\n").filter { $0.hasPrefix(Self.names) && !$0.hasSuffix(" 0") }
            .map { String($0.dropFirst(Self.names.count)) }
    }

    /// - Parameter seconds: the monotonic time.
    private func pressure(_ registry: MetricsRegistry, log: TestLog, seconds: Monitor<UInt64>) -> ListenerPressure {
        let clocks = Clocks(unixSeconds: { TestTime.now }, monotonicNanoseconds: { seconds.withLock { $0 * 1_000_000_000 } })
        return ListenerPressure(
            registry, denials: DenialLog(logger: log.logger, monotonicMilliseconds: clocks.monotonicMilliseconds), clocks: clocks)
    }

    @Test func `each rejected connection is counted, and some are logged`() throws {
        let scratch = try TemporaryDirectory()
        let (log, registry) = (try TestLog(in: scratch, level: .info), MetricsRegistry())
        let pressure = pressure(registry, log: log, seconds: Monitor(0))
        for _ in 0..<100 { pressure.note(.public, ReachedBound(of: nil, isRefused: true)) }
        pressure.note(.public, ReachedBound(of: IPAddress("192.0.2.7"), isRefused: false))
        #expect(
            counts(registry) == [
                #"listener="public",limit="all",closed="newest"} 100"#, #"listener="public",limit="caller",closed="idle"} 1"#,
            ])
        let lines = try log.lines().filter { $0.contains("no room for a connection") }
        #expect(lines.count == DenialLog.linesPerMinute + 1)
        #expect(lines.last?.hasSuffix("no room for a connection listener=public limit=caller closed=idle peer=192.0.2.7") == true)
    }

    @Test func `it is a problem for a minute`() throws {
        let scratch = try TemporaryDirectory()
        let seconds = Monitor<UInt64>(0)
        let pressure = pressure(MetricsRegistry(), log: try TestLog(in: scratch, level: .info), seconds: seconds)
        let bound = ReachedBound(of: nil, isRefused: false)
        let full = CrowdedListener(.admin, bound)
        #expect(pressure.crowded == [])
        pressure.note(.admin, bound)
        seconds.update { $0 = 59 }
        #expect(pressure.crowded == [full])
        pressure.note(.admin, bound)
        seconds.update { $0 = 118 }
        #expect(pressure.crowded == [full])
        seconds.update { $0 = 119 }
        #expect(pressure.crowded == [])
    }

    @Test func `rejected bodies are a problem for a minute, and some are logged`() throws {
        let scratch = try TemporaryDirectory()
        let (log, registry, seconds) = (try TestLog(in: scratch, level: .info), MetricsRegistry(), Monitor<UInt64>(0))
        let pressure = pressure(registry, log: log, seconds: seconds)
        for _ in 0..<100 { pressure.noteBody(.public, peer: "192.0.2.7:1") }
        #expect(counts(registry) == [], "no connection was refused")
        let lines = try log.lines()
        #expect(lines.count == DenialLog.linesPerMinute)
        #expect(lines.first?.hasPrefix("WARN  no room for a body listener=public peer=192.0.2.7:1 remedy=") == true)
        seconds.update { $0 = 59 }
        #expect(pressure.crowded == [CrowdedListener(.public, nil)])
        seconds.update { $0 = 60 }
        #expect(pressure.crowded == [])
    }

    @Test func `the series exist from the start`() throws {
        let text = try InProcessClient(ServiceFixture().graph().adminRouter).send(.get, "/metrics").text
        #expect(text.split(separator: "\n").count { $0.hasPrefix(Self.names) } == 8)
    }

    /// One address holds the connections; the help desk is still served, and the operator sees the address.
    @Test func `the status contains a caller with too many connections`() throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json(listen: #""port":0,"max_connections":50"#))
        try fixture.withService { service in
            let idle = try (0..<60).map { _ in try SocketClient(service.publicAddress, from: "127.0.0.2") }
            #expect(try Self.live.send(to: SocketClient(service.publicAddress)).status == 200)
            let status = ExchangeCase(
                name: "status", method: .get, path: "/v1/status", headers: ["Authorization": "Bearer \(ServiceFixture.token)"], status: 200,
                answer: "")
            let text = "127.0.0.2 has as many connections to the public listener as one caller may have:"
            #expect(eventually { (try? status.send(to: SocketClient(service.adminAddress)).text.contains(text)) == true })
            withExtendedLifetime(idle) {}
        }
        #expect(try fixture.log.text().contains("no room for a connection listener=public limit=caller closed=idle peer=127.0.0.2"))
    }

    /// A network in `listen.allow` or `listen.trusted_proxies` exempts its addresses from the limit of one caller.
    @Test(arguments: [#""allow":["127.0.0.0/8"]"#, #""trusted_proxies":["127.0.0.2/32"],"allow":["127.0.0.1/32"]"#])
    func `expected callers are not limited`(_ members: String) throws {
        let fixture = try ServiceFixture(json: ServiceFixture.json(listen: #""port":0,"max_connections":50,\#(members)"#))
        try fixture.withService { service in
            let idle = try (0..<40).map { _ in try SocketClient(service.publicAddress, from: "127.0.0.2") }
            for client in idle { #expect(try Self.live.send(to: client).status == 200) }
        }
        #expect(try !fixture.log.text().contains("no room for a connection"))
    }
}
