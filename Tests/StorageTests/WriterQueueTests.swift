import Core
import TestSupport
import Testing
import Threading

@testable import Storage

@Suite struct WriterQueueTests {
    private typealias Answer = Result<Int, StoreError>

    private final class Answers: Sendable {
        private let kinds = Monitor<[Int: StoreError.Kind]>([:])

        func note(_ number: Int, _ result: Answer) {
            guard case .failure(let error) = result else { return }
            kinds.withLock { $0[number] = error.kind }
        }

        var failed: [Int] { kinds.withLock { $0.keys.sorted() } }
    }

    private let answers = Answers()

    private func job(
        _ number: Int, _ lane: WriterLane, isDeferrable: Bool = false, isAwaited: @escaping @Sendable () -> Bool = { true }
    ) -> WriterJob {
        WriterJob(
            lane, isDeferrable: isDeferrable, isAwaited: isAwaited, completion: { [answers] in answers.note(number, $0) },
            body: { _ in .success(number) })
    }

    private func jobs(_ next: WriterQueue<WriterJob>.Next) -> [WriterJob]? {
        if case .jobs(let jobs) = next { jobs } else { nil }
    }

    @Test func `leaves room for the other lane`() {
        let queue = WriterQueue<WriterJob>(limit: 8, batch: 4)
        for number in 0..<10 { queue.submit(job(number, .registrations)) }
        #expect(answers.failed == [6, 7, 8, 9])
        for number in 10..<14 { queue.submit(job(number, .comments)) }
        #expect(answers.failed == [6, 7, 8, 9, 12, 13])
    }

    @Test func `webhooks leave room for registrations`() {
        let queue = WriterQueue<WriterJob>(limit: 8, batch: 4)
        for number in 0..<8 { queue.submit(job(number, .comments)) }
        queue.submit(job(8, .registrations))
        #expect(answers.failed == [6, 7])
    }

    /// The dispatcher must report outcomes, however many webhooks wait.
    @Test func `the service's own jobs always find room`() {
        let queue = WriterQueue<WriterJob>(limit: 8, batch: 4)
        for number in 0..<6 { queue.submit(job(number, .comments)) }
        for number in 6..<8 { queue.submit(job(number, .registrations)) }
        for number in 8..<20 { queue.submit(job(number, .service)) }
        #expect(answers.failed == [])
    }

    /// Jobs that the writer has taken but not finished still use room.
    @Test func `counts running jobs`() throws {
        let queue = WriterQueue<WriterJob>(limit: 8, batch: 4)
        for number in 0..<6 { queue.submit(job(number, .comments)) }
        let taken = try #require(jobs(queue.next(idleAfterMilliseconds: 0)))
        #expect(taken.count == 4)
        queue.submit(job(6, .comments))
        #expect(answers.failed == [6])
        queue.done(taken)
        queue.submit(job(7, .comments))
        #expect(answers.failed == [6])
    }

    /// A request that was answered at its deadline needs no result; while the disk hangs, its job must not keep the body in memory.
    @Test func `drops abandoned jobs`() throws {
        let queue = WriterQueue<WriterJob>(limit: 8, batch: 4)
        let isAwaited = Monitor(true)
        for number in 0..<6 { queue.submit(job(number, .comments, isAwaited: { isAwaited.withLock { $0 } })) }
        isAwaited.withLock { $0 = false }
        queue.submit(job(6, .comments))
        #expect(answers.failed == [0, 1, 2, 3, 4, 5])
        let taken = try #require(jobs(queue.next(idleAfterMilliseconds: 0)))
        #expect(taken.count == 1)
    }

    @Test func `drops abandoned jobs long before it is full`() {
        let queue = WriterQueue<WriterJob>(limit: 100_000, batch: 512)
        for number in 0..<2000 { queue.submit(job(number, .comments, isAwaited: { false })) }
        #expect(answers.failed.count > 1500)
    }

    /// Takes one batch on another thread while `body` runs on this thread.
    private func taken(from queue: WriterQueue<WriterJob>, while body: () -> Void) throws -> Int? {
        let count = Monitor<Int??>(nil)
        let writer = try DedicatedThread { [self] in
            let taken = jobs(queue.next(idleAfterMilliseconds: 60_000))?.count
            count.update { $0 = .some(taken) }
        }
        defer { writer.join() }
        body()
        return try #require(count.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 })
    }

    /// The end of a call and the beginning of the next one share a commit.
    @Test func `deferrable jobs run with the next job`() throws {
        let queue = WriterQueue<WriterJob>(limit: 8, batch: 4, deferralMilliseconds: 60_000)
        queue.submit(job(0, .service, isDeferrable: true))
        #expect(try taken(from: queue) { queue.submit(job(1, .comments)) } == 2)
    }

    @Test func `deferrable jobs wait for a limited time`() throws {
        let queue = WriterQueue<WriterJob>(limit: 8, batch: 4, deferralMilliseconds: 1)
        queue.submit(job(0, .service, isDeferrable: true))
        #expect(try taken(from: queue) {} == 1)
    }

    @Test func `deferrable jobs run when the store closes`() throws {
        let queue = WriterQueue<WriterJob>(limit: 8, batch: 4, deferralMilliseconds: 60_000)
        queue.submit(job(0, .service, isDeferrable: true))
        #expect(try taken(from: queue) { queue.close() } == 1)
    }

    /// A request that was answered 503 must not be stored: the help desk repeats it.
    @Test func `stores no abandoned job`() throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.db"))
        defer { store.close() }
        let failure = Monitor<StoreError?>(nil)
        store.accept(Sample(1).incoming(), telling: .registry, isAwaited: { false }) { result in
            if case .failure(let error) = result { failure.update { $0 = error } }
        }
        #expect(failure.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0?.kind } == .unavailable)
        #expect(try store.take(Sample(1).incoming()) == .accepted)
        let payload = try Registration.of("A")
        store.register(payload, telling: .registry, isAwaited: { false }) { _ in }
        #expect(try store.payload(payload) == .registered)
    }
}
