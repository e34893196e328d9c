import Core
import Glibc
import Observability
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

/// A store that cannot be opened at once, or fails later.
@Suite struct DeferredStoreTests {
    private let directory: TemporaryDirectory
    private let log: TestLog
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        log = try TestLog(in: directory, level: .info)
        path = directory.path("store.db")
    }

    private func store(_ open: @escaping StoreOpener.Opening) throws -> DeferredStore {
        try DeferredStore(logger: log.logger, pollIntervalMilliseconds: 5, open: open)
    }

    private func file(pages: Int = 16_000) throws -> DeferredStore {
        var settings = StoreSettings()
        settings.pagesBeforeCheckpoint = pages
        settings.probeIntervalMilliseconds = 5
        return try store { [path, settings] isAgain throws(StoreError) in
            try SQLiteStore(path: path, settings: settings, movesAgain: isAgain)
        }
    }

    private static func incoming(_ number: Int, bytes: Int = 2) -> IncomingEvent {
        let event = Event(
            id: DeliveryFixture.event(number), kind: .commentCreated,
            identity: Event.Identity(appID: "shop", ticketID: 1, commentID: HelpDeskID(Int64(number)), deviceID: ""), userID: "user",
            occurredAt: 1, receivedAt: 1, expiresAt: 1_000_000, data: Array(repeating: UInt8(ascii: "x"), count: bytes))
        return IncomingEvent(event, to: [Subscription(notifier: "log")])
    }

    private func accept(_ number: Int, _ store: any Store, bytes: Int = 2) -> Result<Acceptance, StoreError>? {
        let answer = Monitor<Result<Acceptance, StoreError>?>(nil)
        store.accept(Self.incoming(number, bytes: bytes)) { result in answer.update { $0 = result } }
        return answer.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 }
    }

    @Test func `is open at once if possible`() throws {
        let store = try file()
        #expect(store.refusal == nil)
        #expect(accept(1, store) == .success(.accepted))
        store.close()
        #expect(store.refusal?.kind == .closed)
        #expect(try log.lines() == [], "nothing has to be told")
    }

    @Test func `refuses until it can be opened, and logs the reason once`() throws {
        let isPossible = Monitor(false)
        let attempts = Monitor(0)
        let reason = StoreError(.unavailable, "somebody has it", remedy: "end that")
        let refusal = StoreError(.notOpen, "somebody has it", remedy: "end that")
        let store = try store { _ throws(StoreError) in
            attempts.update { $0 += 1 }
            guard isPossible.withLock({ $0 }) else { throw reason }
            return MemoryStore()
        }
        #expect(store.refusal == refusal)
        #expect(accept(1, store) == .failure(refusal))
        #expect(throws: refusal) { try store.pending() }
        #expect(attempts.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 >= 3 ? true : nil } == true)
        isPossible.update { $0 = true }
        #expect(eventually { store.refusal == nil })
        #expect(accept(1, store) == .success(.accepted))
        store.close()
        let lines = try log.lines()
        #expect(lines.count { $0.contains("the store cannot be opened") && $0.contains("somebody has it") } == 1)
        #expect(lines.count { $0.contains("the store is open") } == 1)
    }

    @Test func `can be closed while it waits`() throws {
        let store = try store { _ throws(StoreError) in throw StoreError(.corrupt, "damaged") }
        store.close()
        #expect(store.refusal?.kind == .closed)
        #expect(accept(1, store) == .failure(StoreError(.closed, "the store is closed: the service is stopping")))
    }

    @Test func `recovers after a disk has failed`() throws {
        let store = try file(pages: 100)
        for number in 0..<20 { #expect(accept(number, store, bytes: 40_000) == .success(.accepted)) }
        try #require(makeUnwritable(path))
        var accepted = 20
        // New descriptors work again, so the fault ends when the database is reopened.
        for number in 20..<4000 {
            if accept(number, store, bytes: 40_000) == .success(.accepted) { accepted += 1 }
            if number % 20 == 0, try log.lines().contains(where: { $0.contains("the store is open") }) { break }
        }
        #expect(eventually { store.refusal == nil })
        #expect(try store.deliveries(DeliveryFilter(), limit: 10_000).count == accepted)
        store.close()
        #expect(try log.lines().contains { $0.contains("the disk failed to write the database") })
        let again = try file()
        #expect(try again.deliveries(DeliveryFilter(), limit: 10_000).count == accepted)
        again.close()
    }
}
