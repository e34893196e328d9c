import Glibc
import Testing

/// Intentional failures, with which `Scripts/check-self-test` proves that `Scripts/test` reports failures. The variable RUNNER_TEST selects
/// one.
@Suite struct RunnerTests {
    private static func isWanted(_ kind: String) -> Bool {
        unsafe getenv("RUNNER_TEST").map { unsafe String(cString: $0) } == kind
    }

    @Test(.enabled(if: isWanted("failure"))) func `a failure is reported`() {
        #expect(1 + 1 == 3)
    }

    @Test(.enabled(if: isWanted("crash"))) func `a crash is reported`() {
        fatalError("on purpose")
    }

    /// Fails in its first run, which it records in the working directory.
    @Test(.enabled(if: isWanted("chance"))) func `a random failure is listed`() {
        let isFirst = unsafe mkdir(".build/runner-test", 0o700) == 0
        #expect(!isFirst)
    }
}
