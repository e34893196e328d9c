import JSON
import POSIX
import TestSupport
import Testing

/// The program under test, run like a user's.
enum Deskgate {
    struct Result {
        let code: Int32
        let output: String
        let errors: String

        /// The output as one JSON object.
        var json: JSONObject {
            get throws { try jsonObject(output) }
        }
    }

    /// The binary, built beside the tests.
    static let path = built("deskgate")

    /// The library that simulates a slow or failing disk when it is preloaded; see its own comment.
    static let slowDisk = built("libSlowDisk.so")

    private static func built(_ name: String) -> String { Path.resolve(name, in: Path.directory(of: linkTarget("/proc/self/exe"))) }

    /// Commands whose result is a secret; their output is not searched for secrets.
    private static let secretMakers = [["key", "mint"], ["secret", "new"]]

    /// Whether `runWithoutNameServers` is permitted here.
    static let mayHideNameServers = (try? hidingNameServers("true", []).status) == 0

    /// Runs a command to its end with a resolver that has only the names of /etc/hosts, and so responds at once on any network.
    static func runWithoutNameServers(_ arguments: String...) throws -> (code: Int32, text: String) {
        let command = try hidingNameServers(path, arguments)
        try TestOutput.current.append(Array(command.output.utf8), to: "commands.stdout")
        return (command.status, command.output)
    }

    private static func hidingNameServers(_ program: String, _ arguments: [String]) throws -> (status: Int32, output: String) {
        let scratch = try TemporaryDirectory()
        try scratch.write("nsswitch.conf", "hosts: files\n", mode: 0o644)
        let script = #"mount --bind "$0" /etc/nsswitch.conf && exec "$@""#
        let words = ["--map-root-user", "--mount", "sh", "-c", script, scratch.path("nsswitch.conf"), program] + arguments
        let process = try ChildProcess("unshare", words.map { Array($0.utf8) }, errors: .joined)
        let status = try process.exitCode()
        return (status, try process.output.text())
    }

    static func run(_ arguments: String..., environment: [String: String] = [:]) throws -> Result {
        try run(arguments, environment: environment)
    }

    /// Runs a command to its end.
    /// - Parameter input: the file for its standard input.
    static func run(_ arguments: [String], environment: [String: String] = [:], input: String = "/dev/null") throws -> Result {
        let process = try ChildProcess(path, arguments.map { Array($0.utf8) }, environment: environment, input: input)
        let code = try process.exitCode()
        let (output, errors) = (try process.output.bytes(), try process.errors.bytes())
        let kept = TestOutput.current
        if !secretMakers.contains(where: { arguments.starts(with: $0) }) { try kept.append(output, to: "commands.stdout") }
        try kept.append(errors, to: "commands.stderr")
        return Result(code: code, output: String(decoding: output, as: UTF8.self), errors: String(decoding: errors, as: UTF8.self))
    }
}

func jsonObject(_ text: String) throws -> JSONObject {
    let bytes = Array(text.utf8)
    guard case .object(let object) = try JSONDocument(parsing: bytes.span).value() else { throw ChildProcess.Failure.missingOutput }
    return object
}

extension JSONObject {
    /// The keys in order.
    var keys: [String] { members.map(\.key) }

    func string(_ key: String) -> String? {
        guard case .string(let text) = self[key] else { return nil }
        return text
    }

    func integer(_ key: String) -> Int64? {
        guard case .integer(let integer) = self[key] else { return nil }
        return integer
    }
}

/// The consequence of a new configuration in place of a lost one.
let costOfNewOne = "a new one has new secrets, and all minted keys become invalid"

/// The remedy for a directory without a configuration.
func absenceRemedy(_ directory: String) -> String {
    "if there was one, put it back: \(costOfNewOne); on a new machine: deskgate init \(directory) --app ID"
}
