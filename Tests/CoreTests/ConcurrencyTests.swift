import Core
import TestSupport
import Testing
import Threading

@Suite struct ConcurrencyTests {
    /// One authorizer serves all threads of the server concurrently without a lock.
    @Test func `many threads get the same decisions`() throws {
        let file = try JudgedVectors()
        let wrong = Monitor<[String]>([])
        onThreads(8) { index in
            // Each thread begins with another vector, so that different vectors overlap.
            let start = index * file.vectors.count / 8
            for vector in file.vectors[start...] + file.vectors[..<start] {
                let decision = file.authorizer.authorize(vector.triple, now: vector.now)
                if decision.verdict.reason != vector.reason { wrong.update { $0.append(vector.name) } }
            }
        }
        #expect(wrong.withLock { $0 } == [])
    }

    /// A reload releases an authorizer while other threads still use it.
    @Test func `an authorizer may be released before its apps`() throws {
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
