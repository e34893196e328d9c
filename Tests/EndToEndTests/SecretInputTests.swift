import JSON
import TestSupport
import Testing

/// `-` in place of a secret: it is read from the standard input.
@Suite struct SecretInputTests {
    private let workspace: Workspace

    init() throws {
        workspace = try Workspace()
    }

    private func run(_ arguments: [String], input: String) throws -> Deskgate.Result {
        try workspace.directory.write("input", input)
        return try Deskgate.run(arguments, input: workspace.directory.path("input"))
    }

    private func verify(_ input: String) throws -> Deskgate.Result {
        let words = ["--config", workspace.configuration, "--app", Workspace.app, "--user", Markers.user, "--key", "-", "--offline"]
        return try run(["key", "verify"] + words, input: input)
    }

    @Test(arguments: ["", "\n", "\r\n"]) func `key verify reads a key from standard input`(_ end: String) throws {
        let result = try verify(try workspace.key() + end)
        #expect(result.code == 0)
        #expect(result.output.contains("\nreason       valid\n"))
    }

    @Test func `key inspect reads a key from standard input`() throws {
        let result = try run(["key", "inspect", "--key", "-", "--json"], input: wellFormedKey)
        #expect(result.code == 0)
        #expect(try result.json.integer("key_id") == 1)
    }

    /// The token is checked, not the hyphen.
    @Test func `push test reads a token from standard input`() throws {
        let words = ["push", "test", "--config", workspace.configuration, "--notifier", "log", "--token", "-"]
        #expect(try run(words, input: wellFormedKey).errors.hasPrefix("deskgate: --token is a security key; "))
    }

    @Test(arguments: ["", "\n", "one\ntwo\n"]) func `the input must be one line`(_ input: String) throws {
        let result = try verify(input)
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --key: expected one non-empty line on standard input\n"))
    }

    @Test func `an endless input is rejected`() throws {
        let result = try verify(String(repeating: "a", count: 70_000))
        #expect(result.code == 2)
        #expect(result.errors.hasPrefix("deskgate: --key: cannot read standard input: File too large\n"))
    }

    @Test func `help describes the input of secrets`() throws {
        #expect(try Deskgate.run("key", "inspect", "--help").output.contains("the security key; - reads it from standard input\n"))
        #expect(try Deskgate.run("key", "verify", "--help").output.contains("the security key; - reads it from standard input\n"))
    }
}
