import Glibc
import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing
import Threading

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Automatic reloads of the configuration.
@Suite struct ConfigurationReloaderTests {
    private let fixture: ServiceFixture
    /// The number of times that files were watched anew, which equals the number of reads.
    private let watches = Monitor(0)
    private static let reloaded = "INFO  configuration reloaded apps=1"

    init() throws {
        fixture = try ServiceFixture(json: Self.json())
    }

    private static func json(keys: [Int] = [1], listen: String = #""port":0"#, follows: Bool = true) -> String {
        ServiceFixture.json(keys: keys, listen: listen, members: #""reload":{"on_change":\#(follows)}"#)
    }

    private func write(_ json: String) throws {
        try fixture.directory.scratch.write("config.json", json)
    }

    private func withReloader(
        makeWatch: @escaping ConfigurationReloader.WatchMaker = { places throws(FileWatch.Failure) in try FileWatch(places) },
        _ body: (ConfigurationReloader, RunningService) throws -> Void
    ) throws {
        try fixture.withService { service in
            let reloader = ConfigurationReloader(
                service, file: fixture.directory.file, startedWith: fixture.configuration, logger: fixture.log.logger
            ) { [watches] places throws(FileWatch.Failure) in
                watches.update { $0 += 1 }
                return try makeWatch(places)
            }
            reloader.begin()
            try body(reloader, service)
        }
    }

    private var readings: Int { watches.withLock { $0 } }

    /// The number of log lines that begin with `line`.
    private func count(_ line: String) throws -> Int { try fixture.log.lines().filter { $0.hasPrefix(line) }.count }

    private func expect(_ line: String, times: Int, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let found = try count(line)
        #expect(found == times, sourceLocation: sourceLocation)
    }

    /// Waits until the files have been read again after changes.
    private func settle(_ reloader: ConfigurationReloader) {
        let before = readings
        #expect(
            eventually {
                reloader.noticeChanges()
                return readings > before
            })
    }

    @Test func `a burst of changes causes one reload`() throws {
        try withReloader { reloader, _ in
            for number in 1...100 { try write(Self.json(keys: number.isMultiple(of: 2) ? [1, 2] : [2])) }
            settle(reloader)
            try expect(Self.reloaded, times: 1)
        }
    }

    @Test func `a touch causes none`() throws {
        try withReloader { reloader, _ in
            #expect(readings == 1)
            unsafe utimes(fixture.directory.file, nil)
            try write(Self.json())
            try fixture.directory.scratch.write("secrets/app-1.key", TestSecret.text(1) + "\n")
            settle(reloader)
            #expect(readings == 2)
            try expect("INFO  configuration", times: 0)
        }
    }

    @Test func `is off by default`() throws {
        let plain = try ServiceFixture()
        try plain.withService { service in
            let reloader = ConfigurationReloader(
                service, file: plain.directory.file, startedWith: plain.configuration, logger: plain.log.logger
            ) { _ throws(FileWatch.Failure) in
                Issue.record("no file may be watched")
                throw FileWatch.Failure(description: "", remedy: "")
            }
            reloader.begin()
            #expect(reloader.waitMilliseconds == nil)
            reloader.noticeChanges()
            reloader.reload()
        }
    }

    /// Changes between the start's read and the first watch.
    @Test func `misses no change at the start`() throws {
        try write(Self.json(keys: [2]))
        try withReloader { _, _ in
            try expect(Self.reloaded, times: 1)
        }
    }

    @Test func `can be switched off and on by reloads`() throws {
        try withReloader { reloader, _ in
            try write(Self.json(keys: [2], follows: false))
            settle(reloader)
            try write(Self.json(keys: [1]))
            #expect(reloader.waitMilliseconds == nil)
            reloader.noticeChanges()
            try expect(Self.reloaded, times: 1)
            // Like SIGHUP; from then on the files are watched again.
            reloader.reload()
            try expect(Self.reloaded, times: 2)
            try write(Self.json(keys: [2]))
            settle(reloader)
            try expect(Self.reloaded, times: 3)
        }
    }

    @Test func `a rejection is reported once, and the next change is tried`() throws {
        try withReloader { reloader, _ in
            try write("{")
            settle(reloader)
            unsafe utimes(fixture.directory.file, nil)
            settle(reloader)
            try expect("ERROR configuration not reloaded", times: 1)
            try write(Self.json(listen: #""port":1"#))
            settle(reloader)
            try expect("ERROR configuration not reloaded", times: 2)
            // The same as the configuration in force, so no rejection remains.
            try write(Self.json())
            settle(reloader)
            try expect(Self.reloaded, times: 1)
        }
    }

    /// The cause of a rejection may be outside of the file's contents.
    @Test func `a change of permissions causes a reload`() throws {
        try withReloader { reloader, _ in
            unsafe chmod(fixture.directory.scratch.path("secrets/app-1.key"), 0o644)
            settle(reloader)
            try expect("ERROR configuration not reloaded", times: 1)
            unsafe chmod(fixture.directory.scratch.path("secrets/app-1.key"), 0o600)
            settle(reloader)
            try expect(Self.reloaded, times: 1)
        }
    }

    @Test func `a missing secret is awaited`() throws {
        try withReloader { reloader, _ in
            let secrets = fixture.directory.scratch.path("secrets")
            try File.rename(secrets, to: fixture.directory.scratch.path("former"))
            settle(reloader)
            let refusals = try count("ERROR configuration not reloaded")
            #expect(refusals >= 1)
            try File.rename(fixture.directory.scratch.path("former"), to: secrets)
            settle(reloader)
            try expect(Self.reloaded, times: 1)
        }
    }

    @Test func `reads every few seconds if watching fails`() throws {
        let isRefusing = Monitor(true)
        let makeWatch: ConfigurationReloader.WatchMaker = { places throws(FileWatch.Failure) in
            guard isRefusing.withLock({ $0 }) else { return try FileWatch(places) }
            throw FileWatch.Failure(description: "/etc: No space left on device", remedy: "raise fs.inotify.max_user_watches (sysctl)")
        }
        try withReloader(makeWatch: makeWatch) { reloader, _ in
            #expect(reloader.waitMilliseconds == ConfigurationReloader.pollMilliseconds)
            try write(Self.json(keys: [2]))
            for _ in 1...3 { reloader.noticeChanges() }
            try expect(Self.reloaded, times: 1)
            try write("{")
            for _ in 1...3 { reloader.noticeChanges() }
            try expect("ERROR configuration not reloaded", times: 1)
            #expect(
                try fixture.log.lines().filter { $0.hasPrefix("WARN  the configuration's files") } == [
                    "WARN  the configuration's files cannot be watched, so they are read every few seconds seconds=5 "
                        + #"reason="/etc: No space left on device" "#
                        + #"remedy="raise fs.inotify.max_user_watches (sysctl), then run deskgate reload""#
                ])
            isRefusing.update { $0 = false }
            reloader.noticeChanges()
            #expect(reloader.waitMilliseconds == nil)
            try write(Self.json(keys: [1]))
            settle(reloader)
            try expect(Self.reloaded, times: 2)
        }
    }

    /// Kubernetes may remove the former directory between the read and the watch.
    @Test func `reads again when a directory was removed`() throws {
        let failures = Monitor(2)
        let makeWatch: ConfigurationReloader.WatchMaker = { places throws(FileWatch.Failure) in
            guard
                failures.update({ count in
                    count -= 1
                    return count >= 0
                })
            else { return try FileWatch(places) }
            throw FileWatch.Failure(description: "gone", remedy: "", isOutdated: true)
        }
        try withReloader(makeWatch: makeWatch) { reloader, _ in
            for _ in 1...3 { reloader.noticeChanges() }
            try write(Self.json(keys: [2]))
            settle(reloader)
            try expect(Self.reloaded, times: 1)
            try expect("WARN  the configuration's files", times: 0)
        }
    }

    @Test func `status reports the same as the log`() throws {
        try withReloader { reloader, service in
            #expect(try status(service)["refused"] == .null)
            let keys = (0..<150).map { _ in #"{"id":1,"secret":{"file":"secrets/none.key"}}"# }.joined(separator: ",")
            try write(#"{"apps":[{"app_id":"shop","keys":[\#(keys)]}]}"#)
            settle(reloader)
            let logged = try fixture.log.lines().filter { $0.hasPrefix("ERROR configuration not reloaded reason=") }
            guard case .object(let refused)? = try status(service)["refused"], case .array(let reasons)? = refused["reasons"] else {
                throw SocketClient.Failure.closed
            }
            #expect(refused["count"] == .integer(Int64(logged.count)))
            #expect(reasons.count == RefusedReload.maximumReasons)
            for (reason, line) in zip(reasons, logged) {
                guard case .string(let reason) = reason else { throw SocketClient.Failure.closed }
                let quoted = reason.replacing("\"", with: "\\\"")
                #expect(line.hasSuffix("reason=\"\(quoted)\""))
            }
            #expect(try metrics(service).contains("\ndeskgate_config_last_reload_successful 0\n"))
            try write(Self.json())
            settle(reloader)
            #expect(try status(service)["refused"] == .null)
            #expect(try status(service)["loaded_at"] == "2026-03-10T08:15:12.000Z")
            let text = try metrics(service)
            #expect(text.contains("\ndeskgate_config_last_reload_successful 1\n"))
            #expect(text.contains("\ndeskgate_config_last_reload_success_timestamp_seconds \(TestTime.now)\n"))
            #expect(text.contains("\ndeskgate_config_reloads_total{result=\"failure\"} 1\n"))
            #expect(text.contains("\ndeskgate_config_reloads_total{result=\"success\"} 1\n"))
        }
    }

    private func get(_ path: String, _ service: RunningService) throws -> String {
        let exchange = ExchangeCase(
            name: path, method: .get, path: path, headers: AdminCases.authorization, status: 200, answer: "")
        return try exchange.send(to: SocketClient(service.adminAddress)).text
    }

    private func metrics(_ service: RunningService) throws -> String { try get("/metrics", service) }

    private func status(_ service: RunningService) throws -> JSONObject {
        guard case .object(let status)? = JSONValue(parsing: Array(try get("/v1/status", service).utf8)),
            case .object(let configuration)? = status["configuration"]
        else { throw SocketClient.Failure.closed }
        return configuration
    }
}
