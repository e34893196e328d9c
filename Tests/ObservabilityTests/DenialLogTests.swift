import Observability
import TestSupport
import Testing
import Threading
import Time

@Suite struct DenialLogTests {
    private let scratch: TemporaryDirectory
    private let log: TestLog
    private let seconds = Monitor<UInt64>(0)

    init() throws {
        scratch = try TemporaryDirectory()
        log = try TestLog(in: scratch, level: .info)
    }

    private func denials(_ logger: Logger) -> DenialLog {
        DenialLog(logger: logger, monotonicMilliseconds: { [seconds] in MonotonicMilliseconds(rawValue: seconds.withLock { $0 } * 1000) })
    }

    private func write(_ denials: DenialLog, count: Int, reason: String = "wrong_mac", level: LogLevel = .info) {
        for number in 0..<count { denials.log(level, message: "authorize", reason: reason, fields: ["n": .integer(number)]) }
    }

    @Test func `writes a limited number of lines of a kind and then the number of others`() throws {
        let denials = denials(log.logger)
        write(denials, count: DenialLog.linesPerMinute + 5)
        write(denials, count: 2, reason: "unknown_app")
        #expect(try log.lines().count == DenialLog.linesPerMinute + 2)
        seconds.update { $0 = 59 }
        write(denials, count: 1)
        denials.flush()
        #expect(try log.lines().count == DenialLog.linesPerMinute + 2)
        seconds.update { $0 = 60 }
        write(denials, count: 1)
        let lines = try log.lines()
        #expect(
            lines.suffix(2) == ["WARN  lines left out of=authorize reason=wrong_mac count=6", "INFO  authorize n=0"])
        // It is reported once.
        denials.flush(all: true)
        #expect(try log.lines().count == lines.count)
    }

    @Test func `a flood for one app hides no line of another`() throws {
        let denials = denials(log.logger)
        func write(_ count: Int, _ app: String?) {
            for _ in 0..<count {
                denials.log(.info, message: "authorize", reason: "wrong_mac", app: app, fields: ["of": .string(app ?? "none")])
            }
        }
        write(DenialLog.linesPerMinute + 4, nil)
        write(DenialLog.linesPerMinute + 5, "shop")
        write(3, "bank")
        let lines = try log.lines()
        #expect(lines.filter { $0 == "INFO  authorize of=none" }.count == DenialLog.linesPerMinute)
        #expect(lines.filter { $0 == "INFO  authorize of=shop" }.count == DenialLog.linesPerMinute)
        #expect(lines.filter { $0 == "INFO  authorize of=bank" }.count == 3)
        denials.flush(all: true)
        #expect(
            try log.lines().suffix(2) == [
                "WARN  lines left out of=authorize reason=wrong_mac count=4",
                "WARN  lines left out of=authorize reason=wrong_mac app=shop count=5",
            ])
    }

    @Test func `many apps share a limit`() throws {
        let denials = denials(log.logger)
        let apps = (1...12).map { "app-\($0)" }
        for _ in 0..<DenialLog.linesPerMinute {
            for app in apps { denials.log(.info, message: "authorize", reason: "wrong_mac", app: app, fields: ["of": .string(app)]) }
        }
        denials.log(.info, message: "authorize", reason: "expired", app: "app-1", fields: ["of": .string("another reason")])
        let written = try log.lines().filter { $0.hasPrefix("INFO  authorize of=app-") }
        #expect(written.count == DenialLog.linesOfAllApps)
        #expect(try log.lines().contains(#"INFO  authorize of="another reason""#))
        denials.flush(all: true)
        let leftOut = try log.lines().filter { $0.hasPrefix("WARN  lines left out of=authorize reason=wrong_mac app=") }
        #expect(leftOut.count == apps.count)
        #expect(leftOut.allSatisfy { $0.hasSuffix(" count=10") })
        seconds.update { $0 = 60 }
        denials.log(.info, message: "authorize", reason: "wrong_mac", app: "app-12", fields: ["of": .string("app-12")])
        #expect(try log.lines().last == "INFO  authorize of=app-12")
    }

    /// Also without further denials. A thread may read the clock before another one that gets the lock first.
    @Test func `accepts a time before the last one`() throws {
        let denials = denials(log.logger)
        seconds.update { $0 = 10 }
        write(denials, count: 1)
        seconds.update { $0 = 9 }
        write(denials, count: 1)
        denials.flush()
        #expect(try log.lines() == ["INFO  authorize n=0", "INFO  authorize n=0"])
    }

    @Test func `reports the number of skipped lines after the minute`() throws {
        let denials = denials(log.logger)
        write(denials, count: DenialLog.linesPerMinute + 3)
        seconds.update { $0 = 61 }
        denials.flush()
        #expect(try log.lines().last == "WARN  lines left out of=authorize reason=wrong_mac count=3")
        write(denials, count: 1)
        #expect(try log.lines().last == "INFO  authorize n=0")
    }

    @Test func `skips no line about Deskgate and none for developers`() throws {
        write(denials(log.logger), count: DenialLog.linesPerMinute * 2, level: .error)
        #expect(try log.lines().count == DenialLog.linesPerMinute * 2)
        let other = try TemporaryDirectory()
        let debug = try TestLog(in: other, level: .debug)
        write(denials(debug.logger), count: DenialLog.linesPerMinute * 2)
        #expect(try debug.lines().count == DenialLog.linesPerMinute * 2)
        #expect(other.contents() == ["log"])
    }
}
