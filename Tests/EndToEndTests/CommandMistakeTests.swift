import TestSupport
import Testing

/// Command lines with a mistake that the message names.
@Suite struct CommandMistakeTests {
    private static let oneValue = "an option takes one value: quote it if it has spaces, or run the command once for each"

    @Test(arguments: [
        (["check", "base.json"], "an argument too many: base.json; did you mean --config base.json?"),
        (["users", "block", "42", "--app", "shop"], "an argument too many: 42; did you mean --user 42?"),
        (["users", "block", "--app", "a", "--user", "Ivan", "Petrov"], "an argument too many: Petrov; \(oneValue)"),
        (["users", "block", "--app", "a", "--user=Ivan", "Petrov"], "an argument too many: Petrov; \(oneValue)"),
        (["users", "block", "--app", "a", "--user", "42", "43"], "an argument too many: 43; \(oneValue)"),
        (
            ["store", "copy", "--to", "postgres", "postgres://u:PW@127.0.0.1/deskgate"],
            "an argument too many; the database's address is read from $.store.url of the configuration"
        ),
        (["health", "http://127.0.0.1:8201"], "an argument too many; the address is read from the configuration"),
        (["users", "sign-out", "--app", "shop", "--all"], "unknown option: --all"),
        (["init", "--port", "8200", "--host", "::1"], "unknown option: --host"),
        (["users", "show", "--app", "shop", "--apps", "a"], "unknown option: --apps"),
        (["completions", "--shell", "bash"], "unknown option: --shell; WHAT is given without an option"),
        (["key", "verify", "KEY", "--app", "shop", "--user", "42"], "an argument too many: KEY"),
        (["deliveries", "retry", "12", "13"], "an argument too many: 13"), (["reload", "conf.json"], "an argument too many: conf.json"),
        (["check", "--live", "now"], "an argument too many: now"),
        (["key", "mint", "--app", "shop", "--user-id", "42"], "unknown option: --user-id; did you mean --user?"),
        (["users", "show", "—app", "shop"], "a long dash, as word processors write it, begins no option; type two hyphens: --app"),
        (["users", "show", "--app", "--user", "42"], "--app: needs a value: --app ID; if --user is the value: --app=--user"),
        (
            ["revoke", "--app", "a", "--all", "--issued-before", "1796072458000"],
            "--issued-before: expected a number from 1 to 1099511627776; if that is in milliseconds, give 1796072458"
        ),
        (
            ["revoke", "--app", "a", "--all", "--issued-before", "2026-12-01"],
            "--issued-before: expected a number from 1 to 1099511627776; give seconds since 1970, as date -u -d DATE +%s prints them"
        ),
        (["check", "--config", ""], "--config: is empty; name a file"),
        (["check", "--config", "-"], "--config: - is no file; the configuration is not read from standard input"),
    ])
    func `a surplus or missing word is reported with its remedy`(_ words: [String], _ complaint: String) throws {
        let result = try Deskgate.run(words)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: \(complaint)\n"), "\(result.errors)")
    }

    @Test(arguments: [
        ("42 ", "has white space or an invisible character at an end"), (" 42", "has white space or an invisible character at an end"),
        ("\"42\"", "is in quotes"),
        (#"{"user_id":"42"}"#, "looks like a JSON object"),
    ])
    func `a user id copied with surrounding characters causes a warning`(_ id: String, _ finding: String) throws {
        let workspace = try Workspace()
        let result = try Deskgate.run("users", "block", "--config", workspace.configuration, "--app", Workspace.app, "--user", id)
        #expect(result.errors.contains("deskgate: warning: --user \(finding), all of which is taken as part of the id\n"))
    }
}
