internal import HTTPServer
internal import Observability
internal import POSIX
internal import Service
internal import Threading

/// `deskgate serve`
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "Serves until SIGTERM or SIGINT; SIGHUP reads the configuration again."
    static let options = [Option.config]

    static func run(_ arguments: Arguments) -> ExitCode {
        // Before any thread is made, so that none of them takes a signal.
        let signals = Signals()
        // Before the first secret is read.
        POSIX.Process.forbidMemoryDumps()
        guard let configuration = ConfiguredCommand.configuration(arguments) else { return .usage }
        do throws(ThreadError) {
            let sink = try LogSink(format: configuration.log.format)
            // A reader of the log that has stopped reading must not keep the service from ending.
            defer { sink.close(timeoutMilliseconds: 2000) }
            return serve(configuration, arguments, Logger(level: configuration.log.level, sink: sink), signals)
        } catch {
            Console.complain(error.description)
            return .usage
        }
    }

    private static func serve(
        _ configuration: Configuration, _ arguments: Arguments, _ logger: Logger, _ signals: Signals
    ) -> ExitCode {
        warnAboutOpenFiles(configuration, logger)
        do throws(RunningService.StartError) {
            let service = try RunningService(configuration, logger: logger)
            while signals.next() == .reload {
                service.reload { () throws(ConfigurationError) in try Configuration(contentsOf: arguments.required("config")) }
            }
            service.stop()
            return .done
        } catch {
            Console.complain(error.description)
            return .usage
        }
    }

    private static func warnAboutOpenFiles(_ configuration: Configuration, _ logger: Logger) {
        let limit = POSIX.Process.raiseOpenFileLimit()
        let wanted = configuration.listen.settings.connectionLimit + configuration.admin.listener.settings.connectionLimit
        if limit < wanted + 64 {
            logger.log(
                .warning, "fewer open files are allowed than connections; raise the limit (ulimit -n) or lower max_connections",
                ["open_files": .integer(limit), "max_connections": .integer(wanted)])
        }
    }
}
