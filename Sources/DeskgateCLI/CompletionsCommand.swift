internal import JSON
internal import POSIX

/// `deskgate completions`
enum CompletionsCommand {
    static let command = Command(
        "completions", "Prints a shell's completion script, or the configured names that these scripts use.",
        operand: Operand(
            .choice(Answer.allCases.map(\.rawValue), "WHAT"), "bash, zsh or fish: the shell of the script; apps or notifiers: the names"),
        options: [.config],
        examples: [
            Example(
                "deskgate completions bash >/usr/share/bash-completion/completions/deskgate",
                "Installs the completions of bash for all users."),
            Example("deskgate completions zsh >/usr/local/share/zsh/site-functions/_deskgate", "Installs the completions of zsh."),
            Example("deskgate completions fish >/etc/fish/completions/deskgate.fish", "Installs the completions of fish."),
        ]
    ) { arguments in
        guard let answer = arguments.operand.flatMap(Answer.init(rawValue:)) else { preconditionFailure("the operand is checked") }
        let text = text(answer, arguments)
        if !text.isEmpty { Console.print(text) }
        return .done
    }

    private enum Answer: String, CaseIterable {
        case bash, zsh, fish, apps, notifiers
    }

    private static func text(_ answer: Answer, _ arguments: Arguments) -> String {
        switch answer {
        case .bash: BashCompletions.script
        case .zsh: ZshCompletions.script
        case .fish: FishCompletions.script
        case .apps: names(arguments) { $0.apps }
        case .notifiers: names(arguments) { $0.notifiers }
        }
    }

    /// Lists the names, one per line. Prints nothing when the configuration is missing or cannot be read, because completions must not
    /// print errors.
    private static func names(_ arguments: Arguments, _ kind: (ConfiguredNames) -> [String]) -> String {
        guard let file = try? arguments.configurationFile(), let names = ConfiguredNames(contentsOf: file) else { return "" }
        return kind(names).joined(separator: "\n")
    }
}

/// The names in a configuration file, which may have mistakes. Secrets are not read.
private struct ConfiguredNames {
    let apps: [String]
    let notifiers: [String]

    /// The maximum size of the file in bytes.
    private static let limit = 4 << 20

    /// Reads a file; nil when it is not a JSON object.
    init?(contentsOf path: String) {
        guard let bytes = try? File.read(path, limit: Self.limit).bytes, let document = try? JSONDocument(parsing: bytes.span),
            case .object(let root) = document.value()
        else { return nil }
        var (apps, notifiers): ([String], [String]) = ([], [])
        if case .array(let list) = root["apps"] {
            for case .object(let app) in list { if case .string(let id) = app["app_id"] { apps.append(id) } }
        }
        if case .object(let object) = root["notifiers"] { notifiers = object.members.map(\.key) }
        self.apps = apps.filter(Self.isPlain)
        self.notifiers = notifiers.filter(Self.isPlain)
    }

    /// Whether the name needs no quoting in a shell.
    private static func isPlain(_ name: String) -> Bool {
        !name.isEmpty && !name.hasPrefix("-")
            && name.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"):
                    true
                case UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."): true
                default: false
                }
            }
    }
}
