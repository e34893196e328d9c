import Glibc
import HTTPServer
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct LivenessTests {
    private let inbox = Monitor(DispatcherInbox())
    private let store: DeliveryStore
    private let isListenerSilent = Monitor(false)
    private let liveness: Liveness

    init() throws {
        let fixture = try ServiceFixture()
        store = try DeliveryStore()
        let readiness = Readiness(
            store: store, dispatcherInbox: inbox, record: ConfigurationRecord(fixture.configuration, clocks: ServiceFixture.clocks),
            revocations: RevocationPoller(store, logger: fixture.log.logger, clocks: ServiceFixture.clocks))
        liveness = Liveness(readiness: readiness, dispatcherInbox: inbox) { [isListenerSilent] in isListenerSilent.withLock { $0 } }
    }

    /// Does the work of the main loop and the dispatcher.
    private func answerAll() {
        liveness.beat()
        _ = inbox.withLock { $0.take() }
    }

    @Test func `no part is silent while all respond`() {
        for _ in 0..<3 {
            answerAll()
            #expect(liveness.silentParts() == [])
        }
    }

    @Test func `the main loop must respond each time`() {
        answerAll()
        #expect(liveness.silentParts() == [])
        _ = inbox.withLock { $0.take() }
        #expect(liveness.silentParts() == ["the main loop, which takes signals and reloads"])
        answerAll()
        #expect(liveness.silentParts() == [])
    }

    @Test func `the dispatcher must respond each time`() {
        answerAll()
        #expect(liveness.silentParts() == [])
        liveness.beat()
        #expect(liveness.silentParts() == ["the dispatcher"])
        answerAll()
        #expect(liveness.silentParts() == [])
    }

    @Test func `a dispatcher may wait for a store that is known to fail`() {
        store.close()
        answerAll()
        _ = liveness.silentParts()
        liveness.beat()
        #expect(liveness.silentParts() == [])
    }

    @Test func `the listener must respond`() {
        isListenerSilent.withLock { $0 = true }
        answerAll()
        #expect(liveness.silentParts() == ["the public listener"])
    }

    @Test func `a part that stops is not silent`() {
        isListenerSilent.withLock { $0 = true }
        for _ in 0..<2 { _ = liveness.silentParts() }
        liveness.stop()
        #expect(liveness.silentParts() == [])
    }

    @Test func `a listener that accepts requests without responding is silent`() throws {
        let hanging = try ScriptedServer(.everyRequest(.awaitRelease, .respond(200)))
        defer { hanging.stop() }
        let probe = { (address: ListenAddress, timeout: Int) in
            HealthProbe(address, tls: nil, timeoutMilliseconds: timeout).isUnanswered()
        }
        let patience = Int(WaitLimit.milliseconds)
        #expect(probe(.tcp(host: "127.0.0.1", port: hanging.port), 300))
        hanging.release()
        let busy = try ScriptedServer(.everyRequest(.respond(503)))
        defer { busy.stop() }
        #expect(!probe(.tcp(host: "127.0.0.1", port: busy.port), patience), "it answers")
        #expect(!probe(.unix(path: "/nowhere/socket"), patience), "nobody takes the request")
    }

    @Test func `a running service is alive`() throws {
        try ServiceFixture().withService { service in
            let liveness = Liveness(service)
            #expect(liveness.silentParts() == [])
            liveness.beat()
            #expect(
                eventually {
                    liveness.beat(); return liveness.silentParts().isEmpty
                }, "the real dispatcher answers")
            #expect(!service.publicProbe.isUnanswered())
        }
    }
}
