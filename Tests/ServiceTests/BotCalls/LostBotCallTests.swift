import Core
import Observability
import TestSupport
import Testing
import Threading
import Time

@testable import Dispatch

/// Upkeep marks calls of bots whose process has ended as unknown, logs them, and counts them.
@Suite struct LostBotCallTests {
    private func call(_ number: UInt8, at time: UnixMilliseconds) -> BotCall {
        BotCall(
            id: UUIDv7(milliseconds: time, random: InlineArray(repeating: number)), appID: "app", userID: "user", bot: "b", function: "f",
            argumentsSHA256: "", at: time)
    }

    @Test func `are marked, logged and reported`() throws {
        let fixture = try DeliveryFixture(["a": DeliveryNotifier(.arrived)])
        let reported = Monitor<[UUIDv7]>([])
        fixture.stop()
        fixture.onLostCalls = { calls in reported.update { $0 += calls.map(\.id) } }
        try fixture.startDispatcher()
        let lost = call(1, at: fixture.now)
        fixture.store.begin(lost, isAwaited: { true }) { _ in }
        fixture.advance(Int64(BotCall.lostAfterMilliseconds) - 1000)
        #expect(fixture.settle(100))
        let young = call(2, at: fixture.now)
        fixture.store.begin(young, isAwaited: { true }) { _ in }
        #expect(try fixture.store.botCall(lost.id)?.outcome == .started)
        fixture.advance(62_000)
        #expect(reported.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0.isEmpty ? nil : $0 } == [lost.id])
        #expect(try fixture.store.botCall(lost.id)?.outcome == .unknown)
        #expect(try fixture.store.botCall(lost.id)?.reason == "interrupted")
        #expect(try fixture.store.botCall(young.id)?.outcome == .started)
        let lines = try fixture.log.lines().filter { $0.contains("calls of bots were left unknown") }
        #expect(lines.count == 1 && lines[0].contains(lost.id.description), "\(lines)")
    }
}
