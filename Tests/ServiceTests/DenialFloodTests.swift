import Observability
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct DenialFloodTests {
    /// On every route, thousands of denials and malformed requests cause a few lines and a count of the rest.
    @Test func `log lines of a flood are sampled on every route`() throws {
        let fixture = try ServiceFixture()
        let flood = DenialLog.linesPerMinute + 40
        try fixture.withService { service in
            for (address, path, body) in [
                (service.publicAddress, "/pyrus/authorize", try AuthorizeCases.json(["app_id": #""bank""#])),
                (service.publicAddress, "/pyrus/push-token", Array("{".utf8)), (service.publicAddress, "/pyrus/webhook", Array("{}".utf8)),
                (service.adminAddress, "/v1/keys", Array("{}".utf8)),
            ] {
                let client = try SocketClient(address)
                let exchange = ExchangeCase(name: path, path: path, headers: [:], body: body, status: 0, answer: "")
                for _ in 1...flood { _ = try exchange.send(to: client) }
            }
        }
        let lines = try fixture.log.lines()
        for message in ["authorize", "push token", "webhook", "audit"] {
            let written = lines.filter { $0.hasPrefix("INFO  \(message) ") || $0.hasPrefix("WARN  \(message) ") }
            #expect(written.count == DenialLog.linesPerMinute)
        }
        #expect(lines.filter { $0.hasPrefix("WARN  lines left out ") && $0.hasSuffix(" count=40") }.count == 4)
    }

    /// Each denial of the other app has a line, on each route.
    @Test(arguments: ["/pyrus/authorize", "/pyrus/push-token"])
    func `a flood for one app keeps the log lines of another`(_ path: String) throws {
        let bank = #""apps":[{"app_id":"bank","keys":[{"id":1,"secret":{"file":"secrets/app-2.key"}}]},"#
        let fixture = try ServiceFixture(json: ServiceFixture.json(keys: [1]).replacing(#""apps":["#, with: bank))
        let key = #""\#(try TestKey(secret: 9).text())""#
        func ask(_ client: SocketClient, _ app: String) throws {
            let body = try AuthorizeCases.json(["app_id": "\"\(app)\"", "security_key": key])
            #expect(try ExchangeCase(name: app, path: path, body: body, status: 403, answer: "").send(to: client).status == 403)
        }
        try fixture.withService { service in
            let client = try SocketClient(service.publicAddress)
            for _ in 0..<DenialLog.linesPerMinute + 5 { try ask(client, "shop") }
            for _ in 0..<3 { try ask(client, "bank") }
        }
        let denials = try fixture.log.lines().filter { $0.contains(" result=denied reason=wrong_mac ") }
        #expect(denials.filter { $0.contains(" app=shop ") }.count == DenialLog.linesPerMinute)
        #expect(denials.filter { $0.contains(" app=bank ") }.count == 3)
        let leftOut = try fixture.log.lines().filter { $0.hasPrefix("WARN  lines left out ") }
        #expect(leftOut.map { $0.hasSuffix(" reason=wrong_mac app=shop count=5") } == [true])
    }

    private struct Flood {
        var statuses: [Int: Int] = [:]
        var failures = 0
        var isOver = false
    }

    /// Valid keys are admitted during a flood of wrong keys from one address for the same user, and every denial is counted.
    @Test func `a valid key is always admitted`() throws {
        let fixture = try ServiceFixture()
        let flood = Monitor(Flood())
        try fixture.withService { service in
            let address = service.publicAddress
            func exchange(_ key: TestKey) throws -> ExchangeCase {
                let body = try AuthorizeCases.json(["security_key": "\"\(key.text())\""])
                return ExchangeCase(name: "authorize", body: body, status: 0, answer: "")
            }
            let wrong = try exchange(TestKey(secret: 9))
            let threads = (1...3).map { _ in
                startThread {
                    do {
                        let client = try SocketClient(address)
                        var isOver = false
                        while !isOver {
                            let response = try wrong.send(to: client)
                            isOver = flood.update { flood in
                                flood.statuses[response.status, default: 0] += 1
                                if response.headers["retry-after"] != nil { flood.failures += 1 }
                                return flood.isOver
                            }
                        }
                    } catch {
                        flood.update { $0.failures += 1 }
                    }
                }
            }
            let (client, right) = (try SocketClient(address), try exchange(TestKey()))
            for number in 1...300 {
                #expect(try right.send(to: client).status == 200)
                // Both kinds of requests must overlap.
                let isMixed = flood.wait(timeoutMilliseconds: WaitLimit.milliseconds) {
                    $0.failures > 0 || $0.statuses.values.reduce(0, +) >= 2 * number ? true : nil
                }
                #expect(isMixed == true)
            }
            flood.update { $0.isOver = true }
            for thread in threads { thread.join() }
        }
        let end = flood.withLock { $0 }
        #expect(end.failures == 0)
        #expect(end.statuses.keys.sorted() == [403])
        let lines = try fixture.log.lines()
        #expect(lines.filter { $0.hasPrefix("INFO  authorize result=denied reason=wrong_mac ") }.count == DenialLog.linesPerMinute)
        // The clock does not advance, so one line reports all others.
        let leftOut = (end.statuses[403] ?? 0) - DenialLog.linesPerMinute
        #expect(lines.contains("WARN  lines left out of=authorize reason=wrong_mac app=shop count=\(leftOut)"))
    }
}
