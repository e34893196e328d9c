import Testing

@testable import HTTPClient

/// Who starts next.
@Suite struct AdmissionTests {
    private final class Job {
        let name: String
        let origin: Origin

        init(_ name: String, _ origin: Origin) {
            self.name = name
            self.origin = origin
        }
    }

    private let one: Origin
    private let other: Origin

    init() throws {
        one = try #require(Origin("http://one"))
        other = try #require(Origin("http://other"))
    }

    private func filled(limitPerOrigin: Int, limit: Int) -> (admission: Admission<Job>, jobs: [Job]) {
        var admission = Admission<Job>(limitPerOrigin: limitPerOrigin, limit: limit)
        let jobs = [("a", one), ("b", one), ("c", one), ("x", other), ("y", other)].map { Job($0.0, $0.1) }
        for job in jobs { admission.enqueue(job, job.origin) }
        return (admission, jobs)
    }

    private func start(_ admission: inout Admission<Job>) -> String {
        var names = ""
        while let job = admission.next() { names += job.name }
        return names
    }

    private func remove(_ job: Job, _ admission: inout Admission<Job>) -> Bool {
        admission.remove(job, job.origin)
    }

    @Test func limitsEachOrigin() {
        var (admission, _) = filled(limitPerOrigin: 1, limit: 10)
        #expect(start(&admission) == "ax")
        admission.finish(one)
        #expect(start(&admission) == "b")
        admission.finish(other)
        admission.finish(one)
        #expect(start(&admission) == "yc")
    }

    @Test func takesTurnsUnderTheCommonLimit() {
        var (admission, _) = filled(limitPerOrigin: 10, limit: 2)
        #expect(start(&admission) == "ax")
        admission.finish(one)
        #expect(start(&admission) == "b")
        admission.finish(one)
        #expect(start(&admission) == "y")
        admission.finish(other)
        #expect(start(&admission) == "c")
    }

    @Test func forgetsWhatIsRemoved() {
        var (admission, jobs) = filled(limitPerOrigin: 1, limit: 10)
        let first = admission.next()
        #expect(first === jobs[0])
        #expect(!remove(jobs[0], &admission))
        #expect(remove(jobs[1], &admission))
        #expect(!remove(jobs[1], &admission))
        let removed = admission.removeWaiting { $0.origin == other }.map { $0.name }
        #expect(removed == ["x", "y"])
        #expect(start(&admission) == "")
        admission.finish(one)
        #expect(start(&admission) == "c")
        admission.finish(one)
        admission.enqueue(jobs[3], other)
        #expect(start(&admission) == "x")
    }

    @Test func listsAnOriginOnceAfterRemovals() {
        var (admission, jobs) = filled(limitPerOrigin: 1, limit: 1)
        for job in jobs {
            #expect(remove(job, &admission))
        }
        for job in jobs { admission.enqueue(job, job.origin) }
        #expect(start(&admission) == "a")
        admission.finish(one)
        #expect(start(&admission) == "x")
    }
}
