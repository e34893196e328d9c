import Configuration
import Service
import TestSupport

@testable import AdminAPI
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus

/// A directory with a configuration file and the secrets that it names.
final class ConfigurationDirectory {
    let scratch: TemporaryDirectory
    var environment: [String: String] = [:]

    /// The smallest valid configuration, as members of the root.
    static let apps = #""apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]}]"#

    init() throws {
        scratch = try TemporaryDirectory()
        for number in 1...3 { try scratch.write("secrets/app-\(number).key", TestSecret.text(number) + "\n") }
        try scratch.write("secrets/admin-token", TestSecret.text(200) + "\n")
        for role in AdminToken.Role.allCases { try scratch.write("secrets/\(role)-token", ServiceFixture.token(role) + "\n") }
    }

    var file: String { scratch.path("config.json") }

    /// Stores a credential, as systemd does for a unit.
    func writeCredential(_ name: String, _ text: String) throws {
        try scratch.write("credentials/\(name)", text, mode: 0o400)
        environment["CREDENTIALS_DIRECTORY"] = scratch.path("credentials")
    }

    func configuration(_ json: String) throws -> Configuration {
        try scratch.write("config.json", json)
        return try Configuration(contentsOf: file, environment: { [environment] in environment[$0] }, now: TestTime.now)
    }

    /// The configuration with these members added to the smallest valid one.
    func configuration(members: String) throws -> Configuration {
        try configuration("{\(Self.apps),\(members)}")
    }

    /// The mistakes of a configuration, in which `DIR` is replaced by this directory; none if it is valid.
    func problems(_ json: String) throws -> [String] {
        do {
            _ = try configuration(json)
            return []
        } catch let error as ConfigurationError {
            return error.problems.map { Self.replace(scratch.path, with: "DIR", in: "\($0)") }
        }
    }

    /// The mistakes of a configuration with these members added to the smallest valid one.
    func problems(members: String) throws -> [String] {
        try problems("{\(Self.apps),\(members)}")
    }

    /// The mistakes of a configuration with one app that has these keys.
    func problems(keys: String, members: String = #""log":{}"#) throws -> [String] {
        try problems(#"{"apps":[{"app_id":"shop","keys":[\#(keys)]}],\#(members)}"#)
    }

    /// The mistakes of a configuration with one app that has one key with this secret.
    func problems(secret: String, members: String = #""log":{}"#) throws -> [String] {
        try problems(keys: #"{"id":1,"secret":\#(secret)}"#, members: members)
    }

    private static func replace(_ text: String, with replacement: String, in whole: String) -> String {
        whole.split(separator: text, omittingEmptySubsequences: false).joined(separator: replacement)
    }
}
