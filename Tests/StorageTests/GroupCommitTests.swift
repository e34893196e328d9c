import Core
import SQLite
import Storage
import TestSupport
import Testing
import Threading
import Time

@Suite struct GroupCommitTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open(_ change: (inout StoreSettings) -> Void) throws -> SQLiteStore {
        var settings = StoreSettings()
        settings.busyTimeoutMilliseconds = Int32(WaitLimit.milliseconds)
        change(&settings)
        return try SQLiteStore(path: directory.path("store.db"), settings: settings)
    }

    /// Runs `body` while another connection locks the file, so that the store's writer waits.
    private func whileLocked(_ body: () -> Void) throws {
        let tool = try Connection(path: directory.path("store.db"), mode: .readWriteCreate)
        try tool.transaction { () throws(SQLiteError) in body() }
        try tool.close()
    }

    /// Returns the number of commits for `count` events that arrive while the file is locked.
    private func commits(of count: Int, _ store: SQLiteStore) throws -> Int {
        let (before, answers) = (store.commits, Monitor(0))
        try whileLocked {
            for number in 0..<count { store.accept(Sample(number).incoming()) { _ in answers.update { $0 += 1 } } }
        }
        #expect(answers.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 == count ? true : nil } == true)
        return store.commits - before
    }

    @Test func `commits many calls together`() throws {
        let store = try open { _ in }
        defer { store.close() }
        #expect(try commits(of: 400, store) <= 2, "one commit for the events that the writer took first, one for the rest")
        #expect(try store.pending().map(\.count) == [400])
    }

    @Test func `commits each call alone with a batch size of 1`() throws {
        let store = try open { $0.maximumBatch = 1 }
        defer { store.close() }
        #expect(try commits(of: 50, store) == 50)
    }

    @Test func `rejects events when the queue is full`() throws {
        let store = try open { $0.maximumQueued = 10 }
        let kinds = Monitor<[StoreError.Kind?]>([])
        try whileLocked {
            for number in 0..<30 {
                store.accept(Sample(number).incoming(to: [])) { result in
                    kinds.update { kinds in
                        if case .failure(let error) = result { kinds.append(error.kind) } else { kinds.append(nil) }
                    }
                }
            }
        }
        store.close()
        let answers = kinds.withLock { $0 }
        #expect(answers.count == 30)
        #expect(answers.contains(.unavailable))
        #expect(answers.count { $0 == nil } == 8, "a quarter of the queue is reserved for registrations")
    }

    @Test func `serves many threads at once`() throws {
        let store = try open { _ in }
        defer { store.close() }
        let areAllAccepted = Monitor(false)
        let accepting = (0..<8).map { thread in
            startThread {
                for number in 0..<1000 {
                    let sample = Sample(thread * 1000 + number).with { $0.ticket = HelpDeskID(Int64(number % 7)) }
                    do {
                        _ = try store.take(sample)
                    } catch {
                        Issue.record("an event was not accepted: \(error)")
                    }
                }
            }
        }
        let working = startThread {
            while true {
                let isLast = areAllAccepted.withLock { $0 }
                guard let claimed = try? store.claim(at: 2000, limit: 64) else {
                    Issue.record("a claim failed")
                    return
                }
                let reports = claimed.map { FinishedAttempt(id: $0.id, attempt: 1, next: .delivered, reason: "ok", now: 2001) }
                if (try? store.finish(reports)) == nil { Issue.record("a report failed") }
                // A claim that begins after the last event was accepted finds all remaining deliveries.
                if isLast, claimed.isEmpty { return }
            }
        }
        for thread in accepting { thread.join() }
        areAllAccepted.withLock { $0 = true }
        working.join()
        #expect(try store.pending() == [])
        #expect(try store.all().count { $0.state == .delivered && $0.attempts == 1 } == 8000)
        #expect(store.refusal == nil)
    }
}
