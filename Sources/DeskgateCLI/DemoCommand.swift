internal import Demo
internal import HTTPServer
internal import JSON
internal import POSIX

/// `deskgate demo`
enum DemoCommand {
    static let command = Command(
        "demo", "Runs Deskgate with a simulated help desk, phones and failures, until SIGTERM or SIGINT.",
        details:
            "It makes a configuration with fresh secrets, and prints the address of the operators' page, how to sign in and what to try. "
            + "Everything is on this machine alone. The directory stays when it ends.",
        options: [
            Option(
                "directory", value: .directory, default: "a new one among the temporary files",
                "where the configuration, the secrets, the store and the log are made; never one that has a configuration"),
            Option(
                "port", value: .number(1...65534),
                default: "\(DemoPorts.usual.listen), and \(DemoPorts.usual.admin); others if they are taken",
                "the port of the public listener; the admin listener uses the next port"),
            Option("json", "print one JSON object when the demo is ready"),
        ],
        examples: [
            Example("deskgate demo", "Runs the demo and prints its addresses."),
            Example("deskgate demo --directory demo --port 8300", "Runs the demo in this directory and on these ports."),
        ], run: run)

    private static func run(_ arguments: Arguments) throws(CommandError) -> ExitCode {
        // Blocks the signals before any thread is started, so that all threads inherit the mask.
        let signals = try explaining { () throws(SystemError) in try Signals() }
        let program = (try? FileSystem.absolutePath(of: "/proc/self/exe")) ?? "deskgate"
        POSIX.Process.forbidMemoryDumps()
        _ = POSIX.Process.raiseOpenFileLimit()
        let ports = try ports(arguments)
        let files = try files(arguments)
        let demo = try explaining { () throws(DemoFailure) in try Demo(files, ports) }
        defer { demo.stop() }
        let isOpen = try WaitingLine.show("starting the demo") { () throws(CommandError) in
            try explaining { () throws(DemoFailure) in
                try demo.open { signals.next(orReadable: nil, timeoutMilliseconds: $0) != .stop }
            }
        }
        guard isOpen else { return .done }
        let request = demo.guide.request(
            program: ShellWord.inQuotes(program), configuration: ShellWord.inQuotes(files.configuration))
        Console.answer(
            arguments, json: json(demo.guide, files: files, request: request),
            text: text(demo.guide, files: files, request: request, command: command(program)))
        try explaining { () throws(DemoFailure) in try demo.goOn(until: signals) }
        // A second signal ends the process immediately, because a demo has no work to finish.
        signals.endAtOnce()
        return .done
    }

    private static func ports(_ arguments: Arguments) throws(CommandError) -> DemoPorts {
        guard let port: UInt16 = arguments.number("port") else { return .free() }
        let ports = DemoPorts(from: port)
        if let problem = ports.problem() { throw .option("port", problem.description) }
        return ports
    }

    private static func files(_ arguments: Arguments) throws(CommandError) -> DemoFiles {
        try explaining { () throws(DemoFailure) in
            if let directory = arguments["directory"] { try DemoFiles(directory) } else { try .temporary() }
        } as: {
            .option("directory", $0.description)
        }
    }

    private static func json(_ guide: DemoGuide, files: DemoFiles, request: String) -> JSONValue {
        [
            "page": .string(guide.page), "public": .string(guide.listener), "directory": .string(files.directory),
            "configuration": .string(files.configuration), "admin_token": .string(files.adminToken), "log": .string(files.log),
            "request": .string(request), "try": .array(guide.suggestions.map(JSONValue.string)),
        ]
    }

    /// Returns the shell word that starts this program: its name if the PATH resolves the name to this program, otherwise its path.
    private static func command(_ program: String) -> String {
        let directories = (POSIX.Process.environment("PATH") ?? "").split(separator: ":")
        let first = directories.lazy.compactMap { try? FileSystem.absolutePath(of: "\($0)/deskgate") }.first
        return first == program ? "deskgate" : ShellWord.quoted(program)
    }

    private static func text(_ guide: DemoGuide, files: DemoFiles, request: String, command: String) -> String {
        let suggestions = guide.suggestions.enumerated().map { "  \($0 + 1). \($1)" }
        return """

            Deskgate is at work, with a simulated help desk, phones and failures, on this machine alone.

              The page:   \(guide.page)
              Its token:  cat \(ShellWord.inQuotes(files.adminToken))

            Try there:
            \(suggestions.joined(separator: "\n"))

            Send a request as the help desk does, from another terminal; the answer is 200:

              \(request)

            Commands for another terminal; the last one reloads the configuration:

              export DESKGATE_CONFIG=\(ShellWord.quoted(files.configuration))
              \(command) status
              \(command) reload --pid \(POSIX.Process.identifier)

            The configuration is \(files.configuration), the log \(files.log).
            Ctrl-C ends it; the directory \(files.directory) stays.
            """
    }
}
