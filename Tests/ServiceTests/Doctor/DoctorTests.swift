import Observability
import TestSupport
import Testing
import Threading

@testable import Service

@Suite struct DoctorTests {
    @Test func `a unit serves where systemd runs`() throws {
        let scratch = try TemporaryDirectory()
        let places = SystemPaths(root: scratch.path, systemctl: "/nonexistent")
        try scratch.write("usr/lib/systemd/system/deskgate.service", "[Service]\n")
        #expect(!places.isServed(by: "deskgate.service"))
        try scratch.write("run/systemd/system/other", "")
        #expect(places.isServed(by: "deskgate.service"))
        #expect(!places.isServed(by: "other.service"))
    }

    @Test func `a check that hangs is reported and the others are kept`() throws {
        let scratch = try TemporaryDirectory()
        let log = try TestLog(in: scratch, level: .error)
        let end = Monitor(false)
        defer { end.update { $0 = true } }
        let doctor = Doctor(file: scratch.path("config.json"), logger: log.logger)
        let (findings, isComplete) = doctor.run([
            DoctorCheck(.dns, lateness: .warning, else: "the name server hangs", milliseconds: 50) {
                _ = end.wait(timeoutMilliseconds: WaitLimit.milliseconds) { $0 ? true : nil }
                return []
            },
            DoctorCheck(.clock, else: "never") { [DoctorFinding(.clock, state: .ok, message: "right")] },
        ])
        #expect(!isComplete)
        #expect(
            findings == [
                DoctorFinding(.clock, state: .ok, message: "right"), DoctorFinding(.dns, state: .warning, message: "the name server hangs"),
            ])
    }
}
