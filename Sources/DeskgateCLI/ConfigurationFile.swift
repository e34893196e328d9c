internal import AdminAPI
internal import Configuration
internal import Core
internal import Observability
internal import POSIX
internal import Service
internal import Threading
internal import Time

enum ConfigurationFile {
    static let variable = "DESKGATE_CONFIG"
    static let usual = Configuration.defaultFile

    /// Whether the environment names a file, or the default file exists or cannot be accessed.
    static var isNamedOrUsual: Bool {
        POSIX.Process.environment(variable).map { !$0.isEmpty } ?? false || FileSystem.obstacle(toReading: usual)?.isMissing != true
    }

    /// The error when no configuration is named and the default file does not exist. If the service's database exists beside it, the file
    /// has been lost.
    static var absence: String {
        let place = InitPlace(of: usual)
        let choice = "use \(Option.config.spelling), or set \(variable)"
        guard let database = place.store, File.exists(database) else {
            return "no configuration: \(choice); there is none at \(usual): \(Configuration.remedyOfAbsence(of: usual))"
        }
        return "\(usual) is gone, but its database \(database) is there: put the file back from a backup: \(Configuration.costOfNewOne); "
            + "for another configuration \(choice)"
    }
}

/// Shared by all commands that need a configuration.
extension Arguments {
    /// Returns the configuration's path: from the option, otherwise from the environment, otherwise the default.
    /// - Parameter toServe: whether this user is to run the service, so that the remedy may give the file to this user.
    /// - Throws: when no file is found, or this user may not read it.
    func configurationFile(toServe: Bool = false) throws(CommandError) -> String {
        let file = try namedConfigurationFile() ?? ConfigurationFile.usual
        if let error = FileSystem.obstacle(toReading: file), error.isForbidden {
            let gift = toServe ? ForbiddenPath(file)?.remedy(servingFrom: file) ?? "" : ""
            let remedy = error.remedy(at: file, line(naming: file)) + gift
            throw .failed(
                "\(file) \(File.exists(file) ? "exists, but this user may not read it" : "may not be read by this user")\(remedy)")
        }
        return file
    }

    /// Returns the command line with the configuration's path. The path may come from an environment variable, which sudo does not pass on.
    func line(naming file: String) -> String {
        let isGiven = self[Option.config.name] != nil || file == ConfigurationFile.usual
        return isGiven ? line : "\(line) --\(Option.config.name) \(ShellWord.quoted(file))"
    }

    private func namedConfigurationFile() throws(CommandError) -> String? {
        if let given = self[Option.config.name] {
            guard given != "-" else {
                throw .option(Option.config.name, "- is no file; the configuration is not read from standard input")
            }
            return given
        }
        if let named = POSIX.Process.environment(ConfigurationFile.variable), !named.isEmpty {
            try Self.refuseKey(named, as: ConfigurationFile.variable)
            return named
        }
        if FileSystem.obstacle(toReading: ConfigurationFile.usual)?.isMissing == true {
            throw .usage(ConfigurationFile.absence)
        }
        return nil
    }

    /// Reads the configuration. The error contains all mistakes in it.
    func configuration() throws(CommandError) -> Configuration {
        let file = try configurationFile()
        return try explaining({ () throws(ConfigurationError) in try Configuration(contentsOf: file) }, as: { .configuration($0) })
    }

    /// Reads the configuration, for a command that calls the service.
    ///
    /// If a service runs, mistakes outside of `admin` are only printed to standard error. If no service runs, they are thrown. If the
    /// service hangs, an error about the service is thrown. A file that contains only `admin` has no such mistakes.
    /// - Parameter author: the author of the changes; nil when nothing is changed.
    /// - Returns: access to the service, and the configuration; nil when it has mistakes, or contains only `admin`.
    func service(author: String? = nil) throws(CommandError) -> (access: AdminAccess, configuration: Configuration?) {
        let file = try configurationFile()
        do throws(ConfigurationError) {
            let configuration = try Configuration(contentsOf: file)
            let access = AdminAccess(configuration, author: author) {
                configuration.store.isRefusedToRoot ? nil : InitPlace(of: file).start(file, of: configuration)
            }
            return (access, configuration)
        } catch {
            guard let admin = Configuration.Admin(contentsOf: file) else {
                throw .configuration(error, remark: error.isOfContents ? error.unasked : nil)
            }
            // A file with only `admin` is not the service's own file, which this user may not be allowed to read.
            guard !Configuration.Admin.isAlone(in: file) else { return (AdminAccess(serviceAt: admin, author: author), nil) }
            switch AdminListenerIdentity(admin) {
            case .service:
                error.warn()
                return (AdminAccess(serviceAt: admin, author: author), nil)
            case .hangs(let text):
                error.warn()
                throw .failed(text)
            case .nobody, .unproven, .forbidden, .unknown: throw .configuration(error)
            }
        }
    }
}

extension Arguments {
    /// Returns the thresholds for notifications about the disk; the defaults while the configuration has mistakes.
    func thresholds() throws(CommandError) -> OperatorThresholds {
        (try? Configuration(contentsOf: configurationFile()))?.operators.thresholds ?? OperatorThresholds()
    }

    /// Reads the store's settings, for a command that only reads the store.
    ///
    /// If the file has `store`, mistakes elsewhere are only printed to standard error.
    func store() throws(CommandError) -> Configuration.Store {
        let file = try configurationFile()
        do throws(ConfigurationError) {
            return try Configuration(contentsOf: file).store
        } catch {
            guard let store = Configuration.Store(contentsOf: file) else {
                let remark = Configuration.Store.omission(in: file).map { "\($0); correct the mistakes first" }
                throw .configuration(error, remark: remark)
            }
            error.warn("the store is read anyway")
            return store
        }
    }
}

extension ConfigurationError {
    private static let maximumShown = 3

    /// Explains why no service was called, and how to call one: even if the file is not valid JSON, `admin` may be correct.
    var unasked: String {
        let cause =
            "No service was called, because admin cannot be read; a running service keeps its configuration. Correct the mistakes listed "
            + "above"
        guard !isJSON else { return cause }
        return cause
            + ", or copy admin, and allow_insecure_secrets if it is set, to another file in the same directory, and name the copy with "
            + Option.config.spelling
    }

    private var isJSON: Bool { !problems.contains(where: \.isOfSyntax) }

    /// Whether the file could be read.
    var isOfContents: Bool { !isJSON || problems.contains { $0.path != "$" } }

    /// Prints a one-line warning that the file has mistakes, and that the command continues.
    func warn(_ consequence: String = "the running service is called anyway") {
        let others = problems.count - Self.maximumShown
        let shown = problems.prefix(Self.maximumShown).map(\.description).joined(separator: "; ")
        Console.complain(
            "warning: \(file) has mistakes, and \(consequence): \(shown)"
                + (others > 0 ? "; and \(others) more, which deskgate check lists" : ""))
    }
}

extension Configuration {
    /// Opens a log on standard error; the caller must close it.
    static func openLog(_ format: LogFormat) throws(CommandError) -> LogSink {
        try explaining { () throws(ThreadError) in try LogSink(format: format) }
    }

    /// Runs a trial of this configuration's notifiers. Throws when the trial cannot run.
    /// - Parameter author: as for `NotifierTrial`.
    func tryNotifiers(
        author: String? = nil, _ body: (NotifierTrial) throws(NotifierTrial.Failure) -> ExitCode
    ) throws(CommandError) -> ExitCode {
        let sink = try Self.openLog(.text)
        defer { sink.close(timeoutMilliseconds: TimeLimit.milliseconds(2000)) }
        return try explaining { () throws(NotifierTrial.Failure) in
            try body(NotifierTrial(self, logger: Logger(level: log.level, sink: sink), author: author))
        }
    }
}
