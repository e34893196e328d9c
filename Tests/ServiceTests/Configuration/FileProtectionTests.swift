import Glibc
import POSIX
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Files that others could change or replace.
@Suite struct FileProtectionTests {
    private let directory: ConfigurationDirectory
    private static let remedy = #"or set "allow_insecure_secrets": true at the top on a laptop"#
    private static let insecure = #""allow_insecure_secrets":true"#

    init() throws {
        directory = try ConfigurationDirectory()
    }

    @Test(arguments: [("0622", 0o622), ("0620", 0o620), ("0660", 0o660), ("0602", 0o602)] as [(String, UInt32)])
    func `rejects a secret that others may change`(_ text: String, _ mode: UInt32) throws {
        try directory.scratch.write("app.key", TestSecret.text(1), mode: mode)
        #expect(
            try directory.problems(secret: #"{"file":"app.key"}"#) == [
                "$.apps[0].keys[0].secret.file: DIR/app.key can be changed by others (mode \(text)); run chmod go-w on it, \(Self.remedy)"
            ])
        #expect(try directory.problems(secret: #"{"file":"app.key"}"#, members: Self.insecure) == [])
    }

    @Test(arguments: [("0622", 0o622), ("0664", 0o664), ("0666", 0o666)] as [(String, UInt32)])
    func `rejects a configuration that others may change`(_ text: String, _ mode: UInt32) throws {
        // A user who may change it could also allow that in it.
        let json = "{\(ConfigurationDirectory.apps),\(Self.insecure)}"
        #expect(try directory.problems(json) == [])
        #expect(unsafe chmod(directory.file, mode) == 0)
        let error = #expect(throws: ConfigurationError.self) { try Configuration(contentsOf: directory.file) }
        #expect(error?.problems.map(\.description) == ["$: this file can be changed by others (mode \(text)); run chmod go-w on it"])
    }

    @Test func `rejects a directory in which all users may replace files`() throws {
        let keys = #"{"id":1,"secret":{"file":"secrets/app-1.key"}},{"id":2,"secret":{"file":"secrets/app-2.key"}}"#
        #expect(unsafe chmod(directory.scratch.path("secrets"), 0o777) == 0)
        #expect(
            try directory.problems(keys: keys) == [
                "$.apps[0].keys[0].secret.file: DIR/secrets/app-1.key can be replaced by everyone, as DIR/secrets has the mode 0777; "
                    + "run chmod o-w on that directory, \(Self.remedy)"
            ])
        #expect(try directory.problems(keys: keys, members: Self.insecure) == [])
        // Only owners may replace their files, as in /tmp and in the volumes of Kubernetes.
        #expect(unsafe chmod(directory.scratch.path("secrets"), 0o1777) == 0)
        #expect(try directory.problems(keys: keys) == [])
    }

    /// The owners of the secret, of the configuration and of its directory, and whether the secret is rejected.
    private static let owners: [(secret: uid_t, configuration: uid_t, directory: uid_t, isRefused: Bool)] = [
        (0, 0, 0, false), (0, 12_345, 12_345, false), (12_345, 0, 0, true), (65_534, 0, 0, true), (12_345, 12_345, 0, false),
        (12_345, 0, 12_345, false), (12_345, 12_345, 12_345, false), (12_345, 54_321, 0, true), (12_345, 0, 54_321, true),
        (12_345, 54_321, 54_321, true), (54_321, 54_321, 12_345, false),
        (nobody, nobody, nobody, isUnmapped), (nobody, 0, nobody, isUnmapped), (nobody, nobody, 0, isUnmapped), (0, nobody, nobody, false),
    ]
    private static let nobody: uid_t = 65_534
    /// Whether the user nobody also stands for unmapped users.
    private static let isUnmapped = Machine.unmappedUser == nobody

    /// The error for a file's owner, who may be the service's user.
    private static func refusal(_ owner: uid_t) -> String {
        let name = Machine.userName(owner)
        return
            "belongs to \(name), who may change it; if \(name) serves, run this as that user, otherwise chown it to the user that serves, "
            + remedy
    }

    @Test(
        .enabled(if: geteuid() == 0, "only root may give files away"), arguments: owners.indices, [0o400, 0o440, 0o600, 0o640] as [UInt32])
    func `a secret must belong to root, to this user or to the owner of the configuration`(_ index: Int, _ mode: UInt32) throws {
        let owners = Self.owners[index]
        let secret = directory.scratch.path("secrets/app-1.key")
        #expect(try directory.problems(members: #""log":{}"#) == [])
        #expect(unsafe chmod(secret, mode) == 0)
        #expect(unsafe chown(secret, owners.secret, owners.secret) == 0)
        #expect(unsafe chown(directory.file, owners.configuration, owners.configuration) == 0)
        #expect(unsafe chown(directory.scratch.path, owners.directory, owners.directory) == 0)
        let refusal = "$.apps[0].keys[0].secret.file: \(secret) \(Self.refusal(owners.secret))"
        #expect(try found() == (owners.isRefused ? [refusal] : []))
    }

    /// The mistakes of the configuration.
    private func found() throws -> [String] {
        do throws(ConfigurationError) {
            _ = try Configuration(contentsOf: directory.file)
            return []
        } catch {
            return error.problems.map(\.description)
        }
    }

    /// The list of authorities decides which servers are trusted.
    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `a file of certificates must belong to root, to this user or to the owner of the configuration`() throws {
        let traces =
            #""traces":{"otlp":{"url":"https://collector.example.com/","certificate_authorities":"authorities.pem"}}"#
        try directory.scratch.write("authorities.pem", TestCertificate.shared.certificate, mode: 0o644)
        #expect(try directory.problems(members: traces) == [])
        #expect(unsafe chown(directory.scratch.path("authorities.pem"), 12_345, 12_345) == 0)
        #expect(
            try directory.problems(members: traces) == [
                "$.traces.otlp.certificate_authorities: DIR/authorities.pem \(Self.refusal(12_345))"
            ])
        #expect(try directory.problems(members: "\(traces),\(Self.insecure)") == [])
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `the owner of a symbolic link's target is checked`() throws {
        try directory.scratch.write("real.key", TestSecret.text(1))
        #expect(unsafe symlink("real.key", directory.scratch.path("app.key")) == 0)
        #expect(unsafe lchown(directory.scratch.path("app.key"), 12_345, 12_345) == 0)
        #expect(try directory.problems(secret: #"{"file":"app.key"}"#) == [])
        #expect(unsafe chown(directory.scratch.path("real.key"), 12_345, 12_345) == 0)
        #expect(try directory.problems(secret: #"{"file":"app.key"}"#).count == 1)
    }

    @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
    func `a credential of systemd must belong to root or to the unit's user`() throws {
        try directory.writeCredential("app", TestSecret.text(1))
        let secret = #"{"credential":"app"}"#
        #expect(try directory.problems(secret: secret) == [])
        #expect(unsafe chown(directory.scratch.path("credentials/app"), 12_345, 12_345) == 0)
        #expect(try directory.problems(secret: secret).count == 1)
    }

    /// A user other than root, which the tests may run as.
    @Test(arguments: [(0, false), (1000, false), (1001, true), (65_534, true)] as [(UInt32, Bool)])
    func `a user's own files and those of root are accepted`(_ owner: UInt32, _ isRefused: Bool) {
        let findings = ConfigurationFindings()
        FileProtection(findings, user: 1000).check(owner: owner, at: "$.place", shown: "FILE", alternative: "")
        #expect(findings.all.count == (isRefused ? 1 : 0))
    }

    @Test func `a user without a name is identified by the id`() {
        #expect(Machine.userName(0) == "root")
        #expect(Machine.userName(4_294_000_000) == "user 4294000000")
    }

    @Test func `the user nobody is a normal user`() {
        #expect(Machine.userName(65_534) == "the user nobody")
        #expect(FileOwner(id: 65_534, name: "nobody", group: 0).title == "the user nobody")
    }

    @Test func `follows symbolic links`() throws {
        try directory.scratch.write("open/app.key", TestSecret.text(1), mode: 0o600)
        #expect(unsafe chmod(directory.scratch.path("open"), 0o777) == 0)
        #expect(unsafe symlink("open/app.key", directory.scratch.path("app.key")) == 0)
        let problems = try directory.problems(secret: #"{"file":"app.key"}"#)
        #expect(problems.count == 1 && problems[0].contains("as DIR/open has the mode 0777"))
    }

    /// The kubelet mounts `NAME` as a link to `..data/NAME`, and `..data` as a link to a directory that is replaced as a whole.
    @Test(arguments: [0o400, 0o440, 0o600, 0o640] as [UInt32])
    func `accepts Kubernetes' mounts`(mode: UInt32) throws {
        try directory.scratch.write("volume/..2026_01_01/app.key", TestSecret.text(1), mode: mode)
        #expect(unsafe symlink("..2026_01_01", directory.scratch.path("volume/..data")) == 0)
        #expect(unsafe symlink("..data/app.key", directory.scratch.path("volume/app.key")) == 0)
        #expect(unsafe chmod(directory.scratch.path("volume"), 0o3777) == 0)
        #expect(try directory.problems(secret: #"{"file":"volume/app.key"}"#) == [])
    }

    /// Kubernetes' default is 0644 and Docker Swarm's 0444, on a read-only tmpfs of the container.
    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount file systems"), arguments: [0o444, 0o644] as [UInt32])
    func `accepts readable files in read-only memory`(mode: UInt32) throws {
        let memory = try SmallDisk()
        try File.create(memory.path("app.key"), mode: mode, TestSecret.text(1).utf8)
        let secret = #"{"file":"\#(memory.path("app.key"))"}"#
        #expect(try directory.problems(secret: secret).count == 1)
        try memory.makeReadOnly()
        #expect(try directory.problems(secret: secret) == [])
    }

    /// Docker Swarm and Podman give secrets the owner in `uid`.
    @Test(.enabled(if: SmallDisk.isPermitted, "only root may mount file systems"), arguments: [12_345, 65_534] as [uid_t])
    func `a file in read-only memory may belong to any user`(_ owner: uid_t) throws {
        let memory = try SmallDisk()
        try File.create(memory.path("app.key"), mode: 0o400, TestSecret.text(1).utf8)
        #expect(unsafe chown(memory.path("app.key"), owner, owner) == 0)
        let secret = #"{"file":"\#(memory.path("app.key"))"}"#
        #expect(try directory.problems(secret: secret).count == 1)
        try memory.makeReadOnly()
        #expect(try directory.problems(secret: secret) == [])
    }
}
