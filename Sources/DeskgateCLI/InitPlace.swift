internal import Configuration
internal import Core
internal import POSIX
internal import Service

/// The location of the database that `init` creates, and the command that starts the service.
struct InitPlace: Equatable {
    /// The directories of the Debian package. Its unit lets the service write only to the second one.
    static let packaged = (configuration: "/etc/deskgate", state: "/var/lib/deskgate")

    private static let unit = "deskgate"

    /// Whether the configuration is that of the package's service.
    private let isPackaged: Bool

    /// - Parameter directory: the absolute path of the configuration's directory.
    init(directory: String) {
        isPackaged = directory == Self.packaged.configuration
    }

    static let database = "deskgate.db"

    /// The path of the database; nil for the default, beside the configuration.
    var store: String? { isPackaged ? "\(Self.packaged.state)/\(Self.database)" : nil }

    /// The command that starts the service, quoted for a shell.
    /// - Parameters:
    ///   - configuration: the path of the file in commands.
    ///   - hasUnit: whether systemd runs here and has the package's unit.
    ///   - otherOwner: the owner of the files, when root has created them for another user.
    func start(_ configuration: String, hasUnit: Bool, otherOwner: FileOwner?) -> String {
        if isPackaged, hasUnit { return "systemctl enable --now \(Self.unit)" }
        let serve = "deskgate serve --config \(ShellWord.quoted(configuration))"
        return otherOwner?.line(serve) ?? serve
    }
}

extension InitPlace {
    /// Describes how the package's unit is started, or that it runs, as a part of an error's sentence; nil for any other directory.
    /// - Parameters:
    ///   - hasUnit: see `start`.
    ///   - isRunning: whether the unit has a main process; asks systemd by default.
    func hint(hasUnit: Bool = Self.hasUnit, isRunning: @autoclosure () -> Bool = Self.isUnitRunning) -> String? {
        guard isPackaged, hasUnit else { return nil }
        return isRunning()
            ? "the service runs already (systemctl status \(Self.unit))" : "\(Configuration.startOfUnit) starts the service"
    }

    /// Explains that the service must be stopped or restarted, with the command if systemd runs the package's unit.
    /// - Parameters:
    ///   - verb: `stop` or `restart`.
    ///   - isRunning: whether the unit has a main process; asks systemd by default.
    func order(_ verb: String, isRunning: @autoclosure () -> Bool = Self.isUnitRunning) -> String {
        "\(verb) it" + (isPackaged && isRunning() ? ": systemctl \(verb) \(Self.unit)" : "")
    }

    /// Reports that a command needs the store exclusively, so that the service must be stopped first.
    func message(for error: StoreError) -> String {
        error.isForOwner ? "\(error.cause); \(order("stop")), then run this again" : error.description
    }

    private static var isUnitRunning: Bool { SystemPaths.system.mainProcess(of: "\(unit).service") != nil }

    /// Whether systemd runs here and has the package's unit.
    static var hasUnit: Bool { SystemPaths.system.isServed(by: "\(unit).service") }

    /// The location of a directory, which may be missing.
    init(named directory: String) {
        let found = (try? FileSystem.absolutePath(of: directory)) ?? directory
        self.init(directory: found.utf8.count > 1 && found.utf8.last == UInt8(ascii: "/") ? String(found.dropLast()) : found)
    }

    init(of configuration: String) { self.init(named: Path.directory(of: configuration)) }

    /// The command that starts the service of an existing configuration.
    /// - Parameter configuration: the contents of the file; nil when unknown, so that the owner of its path decides.
    func start(_ file: String, of configuration: Configuration? = nil) -> String {
        guard let configuration else {
            let owner = (try? FileSystem.otherOwner(of: file)).map { FileOwner(id: $0.owner, at: $0.place) }
            return start(file, hasUnit: Self.hasUnit, otherOwner: owner)
        }
        return start(file, hasUnit: Self.hasUnit, otherOwner: configuration.userThatServes)
    }
}
