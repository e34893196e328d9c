internal import Configuration
internal import HTTPServer
internal import Observability
internal import POSIX
internal import Service
internal import Time

/// `deskgate serve`
enum ServeCommand {
    static let command = Command(
        "serve", "Serves until SIGTERM or SIGINT; a second signal ends it immediately.",
        details: "SIGHUP reads the configuration again; with reload.on_change a change of its files does, too.",
        exits: [.negative: "when it has stopped but could not close the store, as its log shows"], options: [.config],
        examples: [
            Example(
                "deskgate serve --config /etc/deskgate/config.json",
                "Serves with this configuration; its log goes to standard error.")
        ], run: run)

    /// Milliseconds for closing all parts after the drain time.
    private static let stopMilliseconds: UInt64 = TimeLimit.milliseconds(4000)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        // Before any thread is started, so that all threads inherit the blocked signals.
        let signals = try explaining { () throws(SystemError) in try Signals() }
        // Before the first secret is read.
        POSIX.Process.forbidMemoryDumps()
        let file = try arguments.configurationFile(toServe: true)
        let configuration = try arguments.configuration()
        try arguments.refuseRoot(
            making: configuration.store.files, line: arguments.line(naming: file),
            hints: [InitPlace(of: file).hint(), configuration.checkHint(file)].compactMap(\.self))
        let sink = try Configuration.openLog(configuration.log.format)
        // A log reader that does not read must not prevent the service from ending.
        defer { sink.close(timeoutMilliseconds: TimeLimit.milliseconds(2000)) }
        let logger = Logger(level: configuration.log.level, sink: sink)
        warnAboutOpenFiles(configuration, logger)
        // Before this process opens the store itself.
        let conflict = configuration.store.conflict
        let service = try explaining { () throws(StartError) in
            try RunningService(configuration, logger: logger)
        } as: {
            .failed($0.description(beside: conflict))
        }
        let supervisor = Supervisor(service, logger: logger)
        supervisor?.start()
        ConfigurationReloader(service, file: file, startedWith: configuration, logger: logger).run(signals, supervisor: supervisor)
        supervisor?.stopping()
        // Every event answered 200 is already durable, so a second signal may end the process without a graceful stop.
        signals.endAtOnce()
        let deadline = stopDeadline(configuration, logger: logger, sink: sink)
        let isClosed = service.stop()
        deadline?.cancel()
        supervisor?.end()
        return isClosed ? .done : .negative
    }

    /// A timer that ends the process if stopping takes too long because a disk hangs; nil when its thread cannot be started.
    private static func stopDeadline(_ configuration: Configuration, logger: Logger, sink: LogSink) -> StopDeadline? {
        try? StopDeadline(milliseconds: UInt64(configuration.drainSeconds) * 1000 + stopMilliseconds) {
            logger.log(.error, message: "stopped without closing the store, whose disk hangs; requests without an answer may not be stored")
            sink.close(timeoutMilliseconds: TimeLimit.milliseconds(1000))
            POSIX.Process.abandon(ExitCode.negative.rawValue)
        }
    }

    private static func warnAboutOpenFiles(_ configuration: Configuration, _ logger: Logger) {
        let limit = POSIX.Process.raiseOpenFileLimit()
        if limit < configuration.wantedOpenFiles {
            logger.log(
                .warning, message: "fewer open files are allowed than connections; raise the limit (ulimit -n) or lower max_connections",
                fields: [
                    "open_files": .integer(limit), "wanted": .integer(configuration.wantedOpenFiles),
                    "max_connections": .integer(configuration.connectionsOfCallers),
                ])
        }
    }
}

extension Configuration {
    /// Warns root, before the command line for the user of the service, that it would fail, too; nil when that user can read every file.
    fileprivate func checkHint(_ file: String) -> String? {
        unreadableFiles.problems.isEmpty
            ? nil : "that user cannot read every file: deskgate check --config \(ShellWord.quoted(file)) names them with their remedies"
    }
}
