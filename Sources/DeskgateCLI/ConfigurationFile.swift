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

    /// Whether the environment names a file, or the default one is there or cannot be seen.
    static var isNamedOrUsual: Bool {
        POSIX.Process.environment(variable).map { !$0.isEmpty } ?? false || FileSystem.obstacle(toReading: usual)?.isMissing != true
    }

    /// Says that no configuration is named, and none is in the usual place. Beside the database of a service it was there, and is lost.
    static var absence: String {
        let place = InitPlace(of: usual)
        let choice = "give \(Option.config.spelling), or set \(variable)"
        guard let database = place.store, File.exists(database) else {
            return "no configuration: \(choice); there is none at \(usual): \(Configuration.remedyOfAbsence(of: usual))"
        }
        return "\(usual) is gone, but its database \(database) is there: put the file back from a backup: \(Configuration.costOfNewOne); "
            + "for another configuration \(choice)"
    }
}

/// Shared by all commands that need a configuration.
extension Arguments {
    /// The configuration's path: from the option, else from the environment, else the default.
    /// - Parameter toServe: whether this user is to serve, so that the file may be given to it.
    /// - Throws: also when this user may not read it.
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

    /// The command line with the configuration's path, which the environment may have named: sudo does not pass that on.
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

    /// Reads the configuration; throws every error in it.
    func configuration() throws(CommandError) -> Configuration {
        let file = try configurationFile()
        return try explaining({ () throws(ConfigurationError) in try Configuration(contentsOf: file) }, as: { .configuration($0) })
    }

    /// Reads the configuration, for a command that calls the service.
    ///
    /// If a service runs, mistakes outside of `admin` are only printed to standard error. Without a service they are thrown; beside a
    /// service that hangs, that is thrown. A file that holds `admin` alone has no such mistakes.
    /// - Parameter author: the author of the changes; nil where nothing is changed.
    /// - Returns: access to the service, and the configuration; nil while it has mistakes, or is no more than `admin`.
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
            // The service of such a file has another one, which its user may not read.
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
    /// The threshold of a disk's notification; the default while the configuration has mistakes.
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

    /// Says why no service was asked, and how one can be asked: in a file that is not JSON, `admin` may be right.
    var unasked: String {
        let cause =
            "No service was called, because admin cannot be read; a running one keeps its configuration. Correct the mistakes named "
            + "above"
        guard !isJSON else { return cause }
        return cause + ", or copy admin, and allow_insecure_secrets if it is there, into another file beside this one, and name that with "
            + Option.config.spelling
    }

    private var isJSON: Bool { !problems.contains(where: \.isOfSyntax) }

    /// Whether the file could be read.
    var isOfContents: Bool { !isJSON || problems.contains { $0.path != "$" } }

    /// Tells in one line that the file has mistakes, and what the command does all the same.
    func warn(_ consequence: String = "the running service is called anyway") {
        let others = problems.count - Self.maximumShown
        let shown = problems.prefix(Self.maximumShown).map(\.description).joined(separator: "; ")
        Console.complain(
            "warning: \(file) has mistakes, and \(consequence): \(shown)"
                + (others > 0 ? "; and \(others) more: deskgate check" : ""))
    }
}

extension Configuration {
    /// Opens a log on standard error; the caller must close it.
    static func openLog(_ format: LogFormat) throws(CommandError) -> LogSink {
        try explaining { () throws(ThreadError) in try LogSink(format: format) }
    }

    /// Runs a trial of this configuration's notifiers; throws when it cannot be run.
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
