internal import Configuration
internal import Observability
internal import Threading
internal import Time

/// Logs the configuration's warnings: when it is applied, and once a day, because certificates expire.
final class WarningLog: Sendable {
    private static let daySeconds: UInt64 = 24 * 3600

    private let logger: Logger
    private let clocks: Clocks
    private let told: Monitor<(configuration: Configuration, at: UnixSeconds)>

    /// Logs the warnings of the first configuration.
    init(_ configuration: Configuration, logger: Logger, clocks: Clocks) {
        self.logger = logger
        self.clocks = clocks
        told = Monitor((configuration, clocks.unixSeconds()))
        tell(configuration)
    }

    /// Logs the warnings of another configuration.
    func tell(_ configuration: Configuration) {
        let now = clocks.unixSeconds()
        told.withLock { $0 = (configuration, now) }
        for warning in configuration.warnings(now: now) {
            logger.log(.warning, "configuration", ["path": .string(warning.path), "warning": .string(warning.message)])
        }
    }

    /// Logs the warnings again if a day has passed.
    func tellDaily() {
        let now = clocks.unixSeconds()
        let (configuration, at) = told.withLock { $0 }
        if now >= at + Self.daySeconds { tell(configuration) }
    }
}
