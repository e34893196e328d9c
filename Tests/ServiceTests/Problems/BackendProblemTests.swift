import Core
import TestSupport
import Testing

@testable import AdminAPI

/// Problems that an app's backend causes.
@Suite struct BackendProblemTests: ProblemScene {
    @Test func `an open breaker is reported with its cause`() throws {
        let slow = BackendStatus(breaker: .open, limitsNewKeys: false, lastFailure: BackendFailure(.backendTimeout))
        let answers = [Self.answers(.undecided, app: "shop", "backend_breaker_open")]
        let problems = try Self.search(backends: [("shop", slow)], answers: answers).problems
        #expect(problems.map(\.kind) == [.authorizationsUndecided, .backendOpen])
        for problem in problems {
            #expect(problem.text.english.contains(" The last call failed: backend_timeout."))
            #expect(problem.remedy.english.hasPrefix("Have the backend of apps[].verify.url answer faster"))
            #expect(problem.text.isTranslated)
        }
    }

    @Test(arguments: [(UndecidedPolicy.error, 503), (.deny, 403), (.allowIfKeyValid, 200)])
    func `an open breaker is reported with the rule in force`(_ rule: UndecidedPolicy, _ status: Int) throws {
        let open = BackendStatus(breaker: .open, limitsNewKeys: false, lastFailure: BackendFailure(.backendStatus, cause: "status_500"))
        let problem = try #require(open.problems(of: "shop", at: "https://backend.test", rule).first)
        #expect(problem.text.english.contains(" The last call to https://backend.test failed: the receiver failed (status_500)."))
        #expect(problem.text.english.hasSuffix(" users are answered \(status) (when_undecided \(rule.rawValue))."))
        #expect(problem.text.isTranslated)
    }

    @Test(arguments: [
        (AnswerWindow.Finding.Kind.undecided, "backend_unreachable"), (.mostDenied, "backend_undecided"),
    ])
    func `the cause of a backend's failure is reported`(_ kind: AnswerWindow.Finding.Kind, _ reason: String) throws {
        let failing = BackendStatus(
            breaker: .failing, limitsNewKeys: false, lastFailure: BackendFailure(.backendUnreachable, cause: "host_unknown"))
        let search = try Self.search(backends: [("shop", failing)], answers: [Self.answers(kind, app: "shop", reason)])
        let problem = try #require(search.problems.first)
        #expect(problem.text.english.hasSuffix(" failed: the receiver's host name could not be resolved (host_unknown)."))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.english.hasPrefix("Repair the backend of apps[].verify.url"))
    }

    @Test(arguments: [
        (AnswerWindow.Finding.Kind.undecided, "backend_unreachable"), (.undecided, "backend_new_keys_paced"),
        (.mostDenied, "backend_undecided"),
    ])
    func `the cause is reported where no user is known yet`(_ kind: AnswerWindow.Finding.Kind, _ reason: String) throws {
        let failing = BackendStatus(
            breaker: .working, limitsNewKeys: true, lastNewKeyFailure: BackendFailure(.backendUnreachable, cause: "host_unknown"))
        let problems = try Self.search(backends: [("shop", failing)], answers: [Self.answers(kind, app: "shop", reason)]).problems
        #expect(problems.last?.kind == .backendNewKeys)
        for problem in problems {
            let cause = " The last call about a new key failed: the receiver's host name could not be resolved (host_unknown)."
            #expect(problem.text.english.contains(cause))
            #expect(problem.text.isTranslated)
            #expect(problem.remedy.english.hasPrefix("Repair the backend of apps[].verify.url"))
        }
    }

    /// Anyone can make a backend fail for a junk key.
    @Test func `a failure for a new key does not hide one for a known key`() throws {
        let failing = BackendStatus(
            breaker: .failing, limitsNewKeys: false, lastFailure: BackendFailure(.backendTimeout),
            lastNewKeyFailure: BackendFailure(.backendStatus, cause: "status_429"))
        let answers = [Self.answers(.mostDenied, app: "shop", "backend_undecided")]
        let problem = try #require(try Self.search(backends: [("shop", failing)], answers: answers).problems.first)
        #expect(problem.text.english.hasSuffix(" The last call failed: backend_timeout."))
        #expect(problem.remedy.english.hasPrefix("Have the backend of apps[].verify.url answer faster"))
    }

    @Test func `a failed call that was not the last one is reported as such`() throws {
        let over = BackendFailure(.backendStatus, cause: "status_500", isOver: true)
        let cause = BackendStatus(breaker: .working, limitsNewKeys: false, lastFailure: over).cause(at: "https://backend.test")
        #expect(cause.english == " The last failed call to https://backend.test: the receiver failed (status_500).")
        #expect(cause.isTranslated)
    }

    @Test func `failures for new keys are reported with the address`() throws {
        let failing = BackendStatus(
            breaker: .working, limitsNewKeys: true, lastNewKeyFailure: BackendFailure(.backendStatus, cause: "status_500"))
        let problem = try #require(failing.problems(of: "shop", at: "https://backend.test", .error).first)
        let cause = " The last call to https://backend.test about a new key failed: the receiver failed (status_500)."
        #expect(problem.text.english.contains(cause))
        #expect(problem.text.isTranslated)
    }

    @Test func `one backend's failure is not the cause of another's`() throws {
        let failing = BackendStatus(breaker: .failing, limitsNewKeys: false, lastFailure: BackendFailure(.backendTimeout))
        let answers = [Self.answers(.undecided, app: "shop", "internal_error")]
        let problem = try #require(try Self.search(backends: [("shop", failing)], answers: answers).problems.first)
        #expect(problem.text.english.hasSuffix("15 of them as internal_error."))
    }
}
