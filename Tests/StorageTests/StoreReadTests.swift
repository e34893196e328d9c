import Core
import SQLite
import TestSupport
import Testing
import Threading
import Time

@testable import Storage

/// Operators' reads of a file: concurrent with the writer, read-only, and limited in time.
@Suite struct StoreReadTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.db")
    }

    private func open(_ change: (inout StoreSettings) -> Void = { _ in }) throws -> SQLiteStore {
        var settings = StoreSettings()
        change(&settings)
        return try SQLiteStore(path: path, settings: settings)
    }

    /// More events than a read processes before it checks for cancellation.
    private func fill(_ store: SQLiteStore) throws {
        let answers = (0..<3000).map { number in
            let answer = Answer<Acceptance>()
            store.accept(Sample(number).incoming(), telling: .nobody) { answer.set($0) }
            return answer
        }
        for answer in answers { _ = try answer.get() }
    }

    /// A filter without an index, so that all events are scanned.
    private static var nobodys: DeliveryFilter {
        var filter = DeliveryFilter()
        filter.userID = "nobody"
        return filter
    }

    @Test func `are answered during writes`() throws {
        let store = try open {
            $0.busyTimeoutMilliseconds = Int32(WaitLimit.milliseconds)
            $0.readMilliseconds = WaitLimit.milliseconds
        }
        defer { store.close() }
        try store.take(Sample(1))
        let other = try Connection(path: path, mode: .readWriteCreate)
        let answer = Monitor<Result<Acceptance, StoreError>?>(nil)
        let (counts, isWaiting) = try other.transaction { () throws(SQLiteError) in
            // Now the file has a writer, and no other connection can write.
            store.accept(Sample(2).incoming(), telling: .nobody) { result in answer.update { $0 = result } }
            let counts: [Int?] = [
                try? store.deliveries(DeliveryFilter(), limit: 10).count, try? store.deliveries(Self.nobodys, limit: 10).count,
                try? store.devices(DeviceFilter(appID: "app", userID: nil), after: nil, limit: 10).count,
                try? store.revocations(of: nil, after: nil, limit: 10).count, try? store.keyUses().count, try? store.pending().count,
            ]
            return (counts, answer.withLock { $0 } == nil)
        }
        #expect(counts == [1, 0, 0, 0, 0, 1])
        #expect(isWaiting, "the writer waited all the time")
        #expect(answer.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 } == .success(.accepted))
    }

    @Test func `cannot write`() throws {
        let store = try open()
        defer { store.close() }
        let connection = try DatabaseFile.connect(path, settings: StoreSettings(), mode: .readOnly)
        do throws(SQLiteError) {
            try connection.execute("DELETE FROM events")
            Issue.record("the read has written")
        } catch {
            #expect(error.isReadOnly)
        }
    }

    @Test func `are ended at their time limit`() throws {
        let store = try open { $0.readMilliseconds = 0 }
        defer { store.close() }
        try fill(store)
        for _ in 0..<2 {
            do throws(StoreError) {
                _ = try store.page(of: Self.nobodys, after: nil, limit: 10)
                Issue.record("the read was not ended")
            } catch {
                #expect(error.kind == .tooLong)
                #expect(error.description.contains("took more than 0 ms"))
            }
        }
        // A search by index is fast, and the writer has no limit.
        var comment = DeliveryFilter()
        (comment.appID, comment.commentID) = ("app", 7)
        #expect(try store.deliveries(comment, limit: 10).count == 1)
        #expect(try store.take(Sample(5000).incoming()) == .accepted)
        #expect(try store.retryAll(DeliveryFilter(), now: 1000, expiresAt: 2000).retried == 0)
    }

    @Test func `are ended when the store is closed`() throws {
        // Nothing else ends the read.
        let store = try open { $0.readMilliseconds = 2 * WaitLimit.milliseconds }
        try fill(store)
        let (isReading, end) = (Monitor(false), Monitor<Result<Int, StoreError>?>(nil))
        let reader = startThread {
            do throws(StoreError) {
                let count = try store.read(store.listReader) { database throws(SQLiteError) in
                    isReading.update { $0 = true }
                    // The store is closed during this read.
                    _ = eventually { store.status.withLock { $0.isClosed } }
                    return try database.step(Self.nobodys, before: .end, downTo: 0, limit: 10).count
                }
                end.update { $0 = .success(count) }
            } catch {
                end.update { $0 = .failure(error) }
            }
        }
        #expect(isReading.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil } == true)
        store.close()
        reader.join()
        #expect(end.withLock { $0 } == .failure(.closed))
    }

    @Test func `see a reopened file`() throws {
        let first = try open()
        try first.take(Sample(1))
        first.close()
        let copy = try open()
        try copy.take(Sample(2))
        copy.close()
        #expect(throws: StoreError.self, "it is closed") { try copy.deliveries(DeliveryFilter(), limit: 10) }
        let again = try open()
        defer { again.close() }
        #expect(try again.deliveries(DeliveryFilter(), limit: 10).count == 2)
    }
}
