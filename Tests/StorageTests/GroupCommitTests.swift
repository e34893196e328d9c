import Core
import Storage
import TestSupport
import Testing
import Threading
import Time

@Suite struct GroupCommitTests {
    /// Submits so many events from one thread, and waits for all answers.
    private func accept(_ count: Int, _ store: SQLiteStore) {
        let answers = Monitor(0)
        for number in 0..<count {
            store.accept(Sample(number).arrival()) { _ in answers.update { $0 += 1 } }
        }
        #expect(answers.wait(timeoutMilliseconds: 60_000) { $0 == count ? true : nil } == true)
    }

    @Test func makesManyCallsDurableTogether() throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.commitDelayMilliseconds = 20
        let store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        defer { store.close() }
        accept(400, store)
        // All of them are submitted while the first commits, unless this thread is stopped for long.
        #expect(store.commits < 40)
        #expect(try store.pending().map(\.count) == [400])
    }

    @Test func commitsEachCallWhereThatIsWanted() throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.maximumBatch = 1
        let store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        defer { store.close() }
        accept(50, store)
        #expect(store.commits == 50)
    }

    @Test func refusesWhatNoDiskWouldEverTake() throws {
        let directory = try TemporaryDirectory()
        var settings = StoreSettings()
        settings.maximumQueued = 10
        settings.commitDelayMilliseconds = 200
        let store = try SQLiteStore(path: directory.path("store.db"), settings: settings)
        let kinds = Monitor<[StoreError.Kind?]>([])
        for number in 0..<30 {
            store.accept(Sample(number).arrival(to: [])) { result in
                kinds.update { kinds in
                    if case .failure(let error) = result { kinds.append(error.kind) } else { kinds.append(nil) }
                }
            }
        }
        store.close()
        let answers = kinds.withLock { $0 }
        #expect(answers.count == 30)
        #expect(answers.contains(.unavailable))
        #expect(answers.count { $0 == nil } >= 8, "a quarter of the room is left for registrations")
    }

    @Test func worksForManyThreadsAtOnce() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        let delivered = Monitor(0)
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
            while delivered.withLock({ $0 }) < 8000 {
                guard let claimed = try? store.claim(at: 2000, limit: 64) else {
                    Issue.record("a claim failed")
                    return
                }
                let reports = claimed.map { FinishedTry(id: $0.id, attempt: 1, next: .delivered, reason: "ok", now: 2001) }
                if (try? store.finish(reports)) == nil { Issue.record("a report failed") }
                delivered.update { $0 += claimed.count }
            }
        }
        for thread in accepting { thread.join() }
        working.join()
        #expect(try store.pending() == [])
        #expect(try store.all().count { $0.state == .delivered && $0.attempts == 1 } == 8000)
        #expect(store.refusal == nil)
    }
}
