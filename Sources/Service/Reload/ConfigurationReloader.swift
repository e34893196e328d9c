package import Configuration
internal import Core
internal import JSON
package import Observability
package import POSIX
internal import Time

/// Replaces the configuration: on SIGHUP, and when one of its files has changed, if the configuration enables it (`reload.on_change`).
///
/// The thread that waits for signals does all of it, so reloads never overlap.
package final class ConfigurationReloader {
    /// The result of reading the files. Equal results would have the same effect.
    private struct Finding: Equatable {
        var sources: ConfigurationSources
        var problems: [ConfigurationProblem] = []
    }

    package typealias WatchMaker = (WatchedPaths) throws(FileWatch.Failure) -> FileWatch

    /// The interval of reading files that cannot be watched, in milliseconds.
    package static let pollMilliseconds: UInt64 = 5000
    /// The files may be replaced while they are read; after this number of consecutive reads they get time to settle.
    private static let maximumReadings = 3

    private let service: RunningService
    private let file: String
    private let logger: Logger
    private let makeWatch: WatchMaker
    private var isFollowing: Bool
    private var last: Finding
    private var watch: FileWatch?
    private var period = QuietPeriod()
    private var hasReportedPolling = false

    /// Prepares reloads.
    /// - Parameters:
    ///   - file: the configuration's file.
    ///   - configuration: the configuration at the start of the service.
    ///   - makeWatch: for tests of a failing system call.
    package init(
        _ service: RunningService, file: String, startedWith configuration: Configuration, logger: Logger,
        makeWatch: @escaping WatchMaker = { places throws(FileWatch.Failure) in try FileWatch(places) }
    ) {
        self.service = service
        self.file = file
        self.logger = logger
        self.makeWatch = makeWatch
        isFollowing = configuration.reloadsOnChange
        last = Finding(sources: configuration.sources)
    }

    /// Reloads until a signal to stop.
    /// - Parameter supervisor: receives reloads, and the beats of this loop.
    package func run(_ signals: Signals, supervisor: Supervisor? = nil) {
        begin()
        while true {
            supervisor?.beat()
            let wait = [waitMilliseconds, supervisor?.beatMilliseconds].compactMap(\.self).min()
            switch signals.next(orReadable: watch?.descriptor, timeoutMilliseconds: wait) {
            case .stop: return
            case .reload(let sender):
                // Before the reload, so that the caller gets a confirmation that the signal has arrived.
                let reply = sender.flatMap { ReloadReply(to: $0) }
                supervisor?.reloading()
                reload()
                supervisor?.serving()
                reply?.send(service.reloadOutcome.serialized())
            case nil: noticeChanges()
            }
        }
    }

    /// Starts to watch, and applies changes since the service read its configuration. Call it once, before all other functions.
    func begin() {
        if isFollowing { reloadIfChanged() }
    }

    /// The maximum wait before the next call of `noticeChanges`, in milliseconds; nil when only the watch reports changes.
    var waitMilliseconds: UInt64? {
        if let end = period.end { return SystemClock.monotonicMilliseconds().remaining(until: end) }
        return isFollowing && watch == nil ? Self.pollMilliseconds : nil
    }

    /// Reloads if files have changed and then been quiet. Call it when the watch is readable, or at the end of the wait.
    func noticeChanges() {
        guard isFollowing else { return }
        if let watch {
            let now = SystemClock.monotonicMilliseconds()
            if watch.takeChanges() { period.noteChange(at: now) }
            guard period.finish(at: now) else { return }
        }
        reloadIfChanged()
    }

    /// Reads the configuration and applies it, whether it has changed or not.
    func reload() {
        let (result, finding) = read()
        replace(with: result, finding)
    }

    private func reloadIfChanged() {
        let (result, finding) = read()
        if finding != last { replace(with: result, finding) }
    }

    private func replace(with result: Result<Configuration, ConfigurationError>, _ finding: Finding) {
        last = finding
        let isInForce = service.reload { () throws(ConfigurationError) in try result.get() }
        guard isInForce, case .success(let next) = result, next.reloadsOnChange != isFollowing else { return }
        isFollowing = next.reloadsOnChange
        watch = nil
        // Detects changes since the read, when nothing was watched.
        begin()
    }

    /// Reads the configuration; if changes are followed, its files are watched during the read, so that no later change is missed.
    private func read() -> (Result<Configuration, ConfigurationError>, Finding) {
        period.cancel()
        guard isFollowing else { return readOnce() }
        var places = WatchedPaths(of: last.sources.files)
        for _ in 1...Self.maximumReadings {
            startWatching(places)
            let (result, finding) = readOnce()
            let next = WatchedPaths(of: finding.sources.files)
            if next == places { return (result, finding) }
            places = next
        }
        startWatching(places)
        period.noteChange(at: SystemClock.monotonicMilliseconds())
        return readOnce()
    }

    private func readOnce() -> (Result<Configuration, ConfigurationError>, Finding) {
        do throws(ConfigurationError) {
            let configuration = try Configuration(contentsOf: file)
            return (.success(configuration), Finding(sources: configuration.sources))
        } catch {
            return (.failure(error), Finding(sources: error.sources, problems: error.problems))
        }
    }

    private func startWatching(_ places: WatchedPaths) {
        do throws(FileWatch.Failure) {
            watch = try makeWatch(places)
            hasReportedPolling = false
        } catch {
            watch = nil
            guard !hasReportedPolling, !error.isOutdated else { return }
            hasReportedPolling = true
            logger.log(
                .warning, message: "the configuration's files cannot be watched, so they are read every few seconds",
                fields: [
                    "seconds": .integer(Int(Self.pollMilliseconds / 1000)), "reason": .string(error.description),
                    "remedy": .string("\(error.remedy), then \(LocalizedText.reload.english)"),
                ])
        }
    }
}
