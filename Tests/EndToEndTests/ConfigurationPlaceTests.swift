import JSON
import TestSupport
import Testing

@Suite struct ConfigurationPlaceTests {
    private static let variable = "DESKGATE_CONFIG"
    private static let mayHideDirectories = (try? Command("unshare", "--map-root-user", "--mount", "true").status) == 0

    @Test func `the environment names the configuration`() throws {
        let workspace = try Workspace()
        let result = try Deskgate.run(["check"], environment: [Self.variable: workspace.configuration])
        #expect(result.code == 0)
        #expect(result.output.hasPrefix("\(workspace.configuration) is valid: "))
        let minted = try Deskgate.run(
            ["key", "mint", "--app", "app-1", "--user", Markers.user], environment: [Self.variable: workspace.configuration])
        #expect(minted.code == 0)
    }

    @Test func `the option takes precedence over the environment`() throws {
        let workspace = try Workspace()
        let result = try Deskgate.run(
            ["check", "--config", workspace.configuration], environment: [Self.variable: "/nonexistent/config.json"])
        #expect(result.code == 0)
        let other = try Deskgate.run(["check"], environment: [Self.variable: "/nonexistent/config.json"])
        #expect(other.code == 2)
        #expect(other.errors.hasPrefix("/nonexistent/config.json: "))
    }

    /// The machine that runs the tests may have a configuration in /etc; a mount namespace hides it.
    @Test(.enabled(if: mayHideDirectories, "unshare(1) is not permitted"))
    func `the default file comes last`() throws {
        let workspace = try Workspace()
        let script = """
            mount -t tmpfs none /etc && "$0" check; echo "code $?"; mkdir /etc/deskgate && cp -p "$1"/* /etc/deskgate && "$0" check
            """
        let words = ["--map-root-user", "--mount", "sh", "-c", script, Deskgate.path, workspace.directory.path]
        let process = try ChildProcess("unshare", words.map { Array($0.utf8) }, errors: .joined)
        #expect(try process.exitCode() == 0)
        #expect(
            try process.output.text()
                == """
                deskgate: no configuration: use --config FILE, or set DESKGATE_CONFIG; there is none at /etc/deskgate/config.json: \
                \(absenceRemedy("/etc/deskgate"))
                usage: deskgate check [--config FILE] [--live] [--send-test] [--json]
                code 2
                /etc/deskgate/config.json is valid: 1 app, public on 127.0.0.1:0, admin on 127.0.0.1:0

                """)
    }

    /// A mount namespace has the directories of the package, which contain only the database.
    @Test(.enabled(if: mayHideDirectories, "unshare(1) is not permitted"))
    func `a missing configuration beside its database is reported`() throws {
        let script = """
            mount -t tmpfs none /etc && mount -t tmpfs none /var/lib && mkdir /var/lib/deskgate && : >/var/lib/deskgate/deskgate.db \
            && exec "$0" check
            """
        let words = ["--map-root-user", "--mount", "sh", "-c", script, Deskgate.path]
        let process = try ChildProcess("unshare", words.map { Array($0.utf8) })
        #expect(try process.exitCode() == 2)
        let message =
            "deskgate: /etc/deskgate/config.json is gone, but its database /var/lib/deskgate/deskgate.db is there: put the file back from "
            + "a backup: \(costOfNewOne); for another configuration use --config FILE, or set DESKGATE_CONFIG\n"
        #expect(try process.errors.text().hasPrefix(message))
    }

    @Test func `a security key is not taken for a file`() throws {
        let result = try Deskgate.run(["check"], environment: [Self.variable: wellFormedKey])
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: DESKGATE_CONFIG is a security key; "))
    }

    @Test func `invalid JSON is reported with line and column`() throws {
        let workspace = try Workspace()
        try workspace.write("config.json", "{\n  \"apps\": [],\n}")
        for command in ["check", "serve"] {
            let result = try Deskgate.run(command, "--config", workspace.configuration)
            #expect(result.code == 2)
            #expect(result.errors == "\(workspace.configuration):2:13: not valid JSON: a comma too many before }; remove it\n")
        }
        let json = try Deskgate.run("check", "--json", "--config", workspace.configuration).json
        #expect(
            json["problems"] == [
                ["path": "$", "message": "not valid JSON: a comma too many before }; remove it", "line": 2, "column": 13]
            ])
    }
}
