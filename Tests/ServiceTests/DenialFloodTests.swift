import Observability
import TestSupport
import Testing

@testable import Configuration
@testable import HelpDesk
@testable import Operators
@testable import Pyrus
@testable import Service

@Suite struct DenialFloodTests {
    /// At every door: denials and garbage by the thousand leave a few lines and their number.
    @Test func aFloodIsSampledAtEveryDoor() throws {
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
}
