import Core
import TestSupport
import Testing
import Threading

@Suite struct ConcurrencyTests {
    /// One authorizer serves all threads of the server at once, without a lock.
    @Test func `many threads decide as one`() throws {
        let file = try JudgedVectors()
        let wrong = Monitor<[String]>([])
        onThreads(8) { index in
            // Each thread begins elsewhere, so that different vectors meet.
            let start = index * file.vectors.count / 8
            for vector in file.vectors[start...] + file.vectors[..<start] {
                let decision = file.authorizer.authorize(vector.triple, now: vector.now)
                if decision.verdict.reason != vector.reason { wrong.update { $0.append(vector.name) } }
            }
        }
        #expect(wrong.withLock { $0 } == [])
    }

    /// A reload drops an authorizer while others still decide with it.
    @Test func `an authorizer may end while its apps live on`() throws {
        let application = try Samples.application("shop", keys: 1)
        let triple = try Samples.triple("shop", "user")
        let refused = Monitor(0)
        onThreads(4) { _ in
            for _ in 0..<200 {
                let verdict = try? Authorizer([application]).authorize(triple, now: Samples.now).verdict
                if verdict != .authorized(keyID: 1) { refused.update { $0 += 1 } }
            }
        }
        #expect(refused.withLock { $0 } == 0)
    }
}
