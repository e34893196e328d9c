internal import Crypto
internal import JSON
internal import POSIX

/// `deskgate init`
enum InitCommand: Command {
    static let name = "init"
    static let summary = "Makes a working configuration with fresh secrets; never overwrites anything."
    static let operand: Operand? = Operand(name: "DIR", isRequired: false, help: "where; default: the current directory")
    static let options = [
        Option("app", value: "ID", default: "my-app, to be replaced", "the app_id that the help desk shows"),
        Option("port", value: "N", default: "8080", "the public listener's port; the admin listener gets the next one, or 9090 by default"),
        Option(
            "simulator", value: "DIR",
            "where deskgate simulate runs: its notifiers go into the configuration, for ios, android, huawei, rustore"),
        Option.json,
    ]

    private static let placeholder = "my-app"
    private static let usualPorts: InitFiles.Ports = (8080, 9090)

    static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        let app = arguments["app"] ?? placeholder
        try Arguments.refuseKey(app, as: "--app")
        if let problem = appProblem(app) { throw .option("app", problem) }
        if arguments.operand?.isEmpty == true { throw .usage("DIR is empty") }
        let simulator = try simulator(arguments)
        let port = try arguments.number("port", in: 1...65534).map { UInt16($0) }
        let files = InitFiles(directory: arguments.operand ?? ".")
        if let existing = files.all.first(where: File.exists) {
            throw .negative("exists", "\(existing) exists already; nothing was changed")
        }
        do throws(InitFiles.Failure) {
            try files.write(app: app, ports: port.map { ($0, $0 + 1) } ?? usualPorts, simulator: simulator)
        } catch {
            throw .failed(error.message)
        }
        arguments.has("json") ? Console.print(files.json) : Console.print(nextSteps(files, app))
        return .done
    }

    private static func simulator(_ arguments: Arguments) throws(CommandError) -> InitSimulator? {
        guard let directory = arguments["simulator"] else { return nil }
        try Arguments.refuseKey(directory, as: "--simulator")
        return try InitSimulator(directory: directory)
    }

    private static func nextSteps(_ files: InitFiles, _ app: String) -> String {
        let replace = app == placeholder ? "\n  4. Replace \(placeholder) in the configuration by the app_id that Pyrus shows you." : ""
        return """
            Made \(files.configuration), and fresh secrets in \(files.secrets) that only you may read.

            Next:
              1. Serve:         deskgate serve --config \(files.configuration)
              2. Mint a key:    deskgate key mint --config \(files.configuration) --app \(app) --user USER
              3. Tell Pyrus:    the authorization URL is https://YOUR-HOST/pyrus/authorize,
                                the one for new comments https://YOUR-HOST/pyrus/webhook/SECRET,
                                where SECRET stands in \(files.webhookSecret)\(replace)
            """
    }
}
