import Glibc
import Testing

/// Failures on purpose, by which `Scripts/check-self-test` proves that `Scripts/test` reports failures. The variable RUNNER_TEST names one.
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

    /// Fails when it runs for the first time, which it notes in the directory in which it runs.
    @Test(.enabled(if: isWanted("chance"))) func `a failure by chance is listed`() {
        let isFirst = unsafe mkdir(".build/runner-test", 0o700) == 0
        #expect(!isFirst)
    }
}
