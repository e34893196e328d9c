import Glibc
import HTTPServer
import JSON
import POSIX
import TestSupport
import Testing

/// Commands run by root on the files of another user, who may replace each of them at any moment.
@Suite(.enabled(if: geteuid() == 0, "only root may give files away"))
final class RootCommandTests {
    private static let owner: uid_t = 12345

    private let site: WebhookSite
    private let sink: ScriptedServer
    /// A directory that only root may enter.
    private let own: TemporaryDirectory
    /// A directory that all users may read: the preloaded library reads its rule with the command's permissions at that moment.
    private let rules: TemporaryDirectory

    /// Creates a store with a service, and gives its directory to another user.
    init() throws {
        sink = try ScriptedServer(.everyRequest(.respond(200)))
        site = try WebhookSite(sink, log: false, ["store": Self.store("sqlite", key: "revocations_path", value: "revocations")])
        own = try TemporaryDirectory()
        try own.write("file", "")
        rules = try TemporaryDirectory()
        #expect(unsafe chmod(rules.path, 0o755) == 0)
        #expect(try site.start().stop() == .exit(0))
        try site.workspace.directory.write("revocations", "")
        for name in [".", "config.json", "app-1.key", "deskgate.db", "revocations"] {
            let result = unsafe chown(path(name), Self.owner, Self.owner)
            try #require(result == 0)
        }
    }

    deinit {
        sink.stop()
    }

    /// The store of the configuration, with an additional member.
    private static func store(_ type: String, key: String, value: JSONValue) -> JSONValue {
        .object(["type": .string(type), "path": "deskgate.db", "minimum_free_megabytes": 0, key: value])
    }

    private func path(_ name: String) -> String { site.workspace.directory.path(name) }

    private func owner(of path: String) throws -> uid_t {
        var status = stat()
        let result = unsafe lstat(path, &status)
        try #require(result == 0)
        return status.st_uid
    }

    /// Runs a command with placeholders: `OWN` is the directory of root, `THEIRS` that of the other user, `CONFIG` the configuration.
    private func run(_ words: String, environment: [String: String] = [:]) throws -> Deskgate.Result {
        let places = [("OWN", own.path), ("THEIRS", site.workspace.directory.path), ("CONFIG", site.workspace.configuration)]
        let arguments = words.split(separator: " ").map { word in
            places.reduce(String(word)) { $0.replacing($1.0, with: $1.1) }
        }
        return try Deskgate.run(arguments, environment: environment)
    }

    /// Runs a command while the other user replaces a file by a link to a file of root.
    /// - Parameter part: a part of the file's path.
    private func run(_ words: String, replacing part: String) throws {
        try rules.write("rule", "\(part) \(own.path("file"))", mode: 0o644)
        let result = try run(words, environment: ["LD_PRELOAD": Deskgate.slowDisk, "SWAPPED_FILE": rules.path("rule")])
        #expect(result.errors.contains("slow-disk: replaced a new file"))
    }

    /// - Parameters:
    ///   - words: the command.
    ///   - part: a part of the path of a file that the command creates.
    @Test(arguments: [
        ("store backup OWN/backup.db --config CONFIG", "/deskgate.db.backed-up.part"),
        ("secret rotate --app app-1 --apply --config CONFIG", "/config.json.rotating"),
        ("secret rotate --app app-1 --apply --config CONFIG", "/app-1-2.key"),
        ("revoke --app app-1 --user user-1 --config CONFIG", "/revocations.part"),
    ])
    func `a new file replaced by a link exposes no file of root`(words: String, part: String) throws {
        try run(words, replacing: part)
        #expect(try owner(of: own.path("file")) == 0)
        #expect(try own.read("file") == "")
    }

    @Test func `a restored store replaced by a link exposes no file of root`() throws {
        #expect(try run("store backup OWN/backup.db --config CONFIG").code == 0)
        try run("store restore OWN/backup.db --config CONFIG", replacing: "/deskgate.db.restored-")
        #expect(try owner(of: own.path("file")) == 0)
        #expect(try own.read("file") == "")
    }

    @Test func `a copy from PostgreSQL replaced by a link exposes no file of root`() throws {
        let place = try PostgresSchemaFixture()
        defer { withExtendedLifetime(place) {} }
        try site.workspace.write("url", place.url(), mode: 0o600)
        try site.configure(["store": Self.store("postgres", key: "url", value: ["file": "url"])])
        #expect(try run("store migrate --config CONFIG").code == 0)
        try File.remove(path("deskgate.db"))
        try run("store copy --to sqlite --config CONFIG", replacing: "/deskgate.db.copying")
        #expect(try owner(of: own.path("file")) == 0)
        #expect(try own.read("file") == "")
        try? File.remove(path("deskgate.db.copying"))
        let copied = try run("store copy --to sqlite --anew --config CONFIG")
        #expect(copied.code == 0, "\(copied.errors)")
        #expect(try owner(of: path("deskgate.db")) == Self.owner)
    }

    @Test func `a link at the path of the copy of the revocations is not followed`() throws {
        let beginning = #"{"format":1}"#
        try own.write("file", beginning)
        try File.remove(path("revocations"))
        let result = unsafe symlink(own.path("file"), path("revocations"))
        try #require(result == 0)
        #expect(try run("revoke --app app-1 --user user-1 --config CONFIG").code == 2)
        #expect(try own.read("file") == beginning)
    }

    @Test func `the remedy for a copy of the revocations owned by root changes only that file`() throws {
        #expect(unsafe chown(path("revocations"), 0, 0) == 0)
        let result = try run("revoke --app app-1 --user user-1 --config CONFIG")
        #expect(result.code == 2)
        let copy = path("revocations")
        #expect(
            result.errors.contains(
                "cannot empty the copy \(copy): it belongs to root, not to user 12345; as root: chown 12345 \(copy)"))
        #expect(!result.errors.contains("give that user the directory"))
    }

    @Test(arguments: [
        "secret new --out THEIRS/link/new.key", "init THEIRS/link/site", "store backup THEIRS/link/backup.db --config CONFIG",
    ])
    func `a link on the path leads no command into a directory of root`(words: String) throws {
        try File.createDirectory(own.path("directory"), mode: 0o700)
        let result = unsafe symlink(own.path("directory"), path("link"))
        try #require(result == 0)
        #expect(try run(words).code == 2)
        #expect(own.contents() == ["directory", "file"])
    }

    @Test(arguments: [
        ("secret new --out THEIRS/new.key", "new.key"), ("init THEIRS/site", "site/config.json"),
        ("store backup THEIRS/backup.db --config CONFIG", "backup.db"),
        ("secret rotate --app app-1 --apply --config CONFIG", "app-1-2.key"),
        ("secret rotate --app app-1 --apply --config CONFIG", "config.json"),
        ("revoke --app app-1 --user user-1 --config CONFIG", "revocations"),
    ])
    func `a file belongs to the owner of its directory`(words: String, name: String) throws {
        let result = try run(words)
        #expect(result.code == 0, "\(result.errors)")
        #expect(try owner(of: path(name)) == Self.owner)
    }

    @Test func `a backup in a directory of root belongs to root and can be restored`() throws {
        #expect(try run("store backup OWN/backup.db --config CONFIG").code == 0)
        #expect(try owner(of: own.path("backup.db")) == 0)
        #expect(try owner(of: path("deskgate.db.backed-up")) == Self.owner)
        let restored = try run("store restore OWN/backup.db --config CONFIG")
        #expect(restored.code == 0, "\(restored.errors)")
        #expect(try owner(of: path("deskgate.db")) == Self.owner)
        #expect(own.contents() == ["backup.db", "file"])
    }

    @Test func `a restored store in root's directory for a group belongs to the store's owner`() throws {
        #expect(try run("store backup OWN/backup.db --config CONFIG").code == 0)
        let shared = try TemporaryDirectory()
        #expect(unsafe chown(shared.path, 0, Self.owner) == 0)
        #expect(unsafe chmod(shared.path, 0o2770) == 0)
        try File.rename(path("deskgate.db"), to: shared.path("deskgate.db"))
        let store: JSONObject = ["type": "sqlite", "path": .string(shared.path("deskgate.db")), "minimum_free_megabytes": 0]
        try site.configure(["store": .object(store)])
        let restored = try run("store restore OWN/backup.db --config CONFIG")
        #expect(restored.code == 0, "\(restored.errors)")
        #expect(try owner(of: shared.path("deskgate.db")) == Self.owner)
    }

    @Test func `an error names the user whose permissions were insufficient`() throws {
        try File.createDirectory(path("roots"), mode: 0o755)
        let result = try run("init THEIRS/roots")
        #expect(result.code == 2)
        #expect(
            result.errors.contains(
                "Permission denied with the rights of user 12345, who owns \(site.workspace.directory.path): give that user"))
        #expect(try run("store backup THEIRS/roots/backup.db --config CONFIG").errors.contains("with the rights of user 12345, who owns"))
        // Root has the rights that this would give, and the owner of the path has not.
        let secret = try run("secret new --out THEIRS/roots/secret").errors
        #expect(secret.contains("with the rights of user 12345, who owns"))
        #expect(!secret.contains("chmod u+rwX"))
        #expect(site.workspace.directory.contents().filter { $0.hasPrefix("roots/") } == [])
    }

    @Test func `root is notified to start the service as the owner of the store`() throws {
        let line = "setpriv --reuid=12345 --regid=12345 --clear-groups deskgate serve --config \(site.workspace.configuration)"
        #expect(try run("status --config CONFIG").output.contains("\nRemedy: Start it: systemctl start deskgate, or \(line). If it does "))
    }

    @Test func `a command that cannot take the rights of the owner makes nothing`() throws {
        let before = site.workspace.directory.contents()
        let words = ["--bounding-set=-setgid", "--inh-caps=-setgid", Deskgate.path, "init", path("site")]
        let process = try ChildProcess("setpriv", words.map { Array($0.utf8) })
        #expect(try process.exitCode() == 2)
        #expect(try process.errors.text().contains("run the command as user 12345"))
        #expect(site.workspace.directory.contents() == before)
    }
}
