internal import Configuration
internal import Observability
internal import Service

/// What commands that try notifiers have in common.
enum TrialRun {
    /// Prepares a trial, and says what keeps it from being made.
    static func perform(
        _ configuration: Configuration, _ body: (NotifierTrial) throws(NotifierTrial.Failure) -> ExitCode
    ) throws(CommandError) -> ExitCode {
        let sink = try ConfiguredCommand.logSink(.text)
        defer { sink.close(timeoutMilliseconds: 2000) }
        do throws(NotifierTrial.Failure) {
            return try body(NotifierTrial(configuration, logger: Logger(level: configuration.log.level, sink: sink)))
        } catch {
            throw .failed(error.description)
        }
    }
}
