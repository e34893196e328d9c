import HTTPServer
import JSON
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Service

/// The doctor's other checks when the configuration has mistakes.
@Suite struct PartCheckTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
    }

    private func check(_ json: String) throws -> PartCheck {
        try directory.scratch.write("config.json", json)
        return PartCheck(nil, in: directory.file, now: SystemClock.unixSeconds())
    }

    @Test func `a clock behind the timestamps of the store's files is a problem`() throws {
        try directory.scratch.write("other.db", "")
        #expect(try Command("touch", "-d", "2100-01-01", directory.scratch.path("other.db")).status == 0)
        let check = try check(#"{"store":{"path":"other.db"},"apps":[]}"#)
        let findings = check.files(MachineCheck(clocks: .system))
        #expect(findings.map(\.state) == [.problem])
        #expect(findings.first?.message.contains(" s after now: the clock was set back, or was ahead") == true)
    }

    @Test func `checks of missing parts are skipped with the reason`() throws {
        let check = try check(#"{"apps":[]}"#)
        #expect(check.omitted.map(\.subject) == [.limits, .unit, .dns, .providers, .ports, .service, .store])
        #expect(check.examineStore() == [])
    }

    @Test(arguments: [403, 503]) func `a refused request is a warning`(_ status: Int) {
        let answer = AdminAnswer(status: status, ["error": "too_many_requests"])
        #expect(
            PartCheck.problems(in: answer, keysInFile: nil) == [
                DoctorFinding(.service, state: .warning, message: "not asked: the service refused the question (\(status))")
            ])
    }

    @Test(arguments: [true, false]) func `the check reports a configuration with warnings as such`(_ hasWarning: Bool) {
        let warning: JSONValue = [
            "kind": "configuration_warning", "severity": "warning", "subject": "$.x", "text": "It warns.", "remedy": "Mend it.",
        ]
        let answer = AdminAnswer(["problems": .array(hasWarning ? [warning] : [])])
        let text = "the service that runs finds nothing wrong" + (hasWarning ? " but warnings of its configuration" : "")
        #expect(PartCheck.problems(in: answer, keysInFile: nil) == [DoctorFinding(.service, state: .ok, message: text)])
    }

    @Test func `an unreadable certificate does not prove that the service is down`() throws {
        let probe = HealthProbe(.unix(path: directory.scratch.path("none.sock")), tls: TLSIdentity(certificate: "none", key: "none"))
        let failure = #expect(throws: HealthProbe.Failure.self) { try probe.ask(isReady: false) }
        #expect(failure?.description == "the certificate of $.listen.tls cannot be read")
        #expect(failure?.isUnasked == true)
        #expect(failure?.isSilence == false)
    }
}
