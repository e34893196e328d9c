import HTTPServer
import Observability
import TestSupport
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// The service with a configuration of its own and a clock that does not advance.
struct ServiceFixture {
    let directory: ConfigurationDirectory
    let configuration: Configuration
    let log: TestLog

    /// The app `shop` with the keys 1 and 2 and an admin token; `members` are added to the root.
    init(members: String = #""log":{}"#, logLevel: LogLevel = .info) throws {
        try self.init(json: Self.json(members: members), logLevel: logLevel)
    }

    /// - Parameter directory: contains the files that the configuration names.
    init(in directory: ConfigurationDirectory? = nil, json: String, logLevel: LogLevel = .info) throws {
        let directory = try directory ?? ConfigurationDirectory()
        self.directory = directory
        configuration = try directory.configuration(json)
        log = try TestLog(in: directory.scratch, level: logLevel)
    }

    static let clocks = Clocks(unixSeconds: { TestTime.now }, monotonicNanoseconds: { 0 })
    static let token = TestSecret.text(200)

    /// A token of each role, for `json(admin:)`; its name is the role followed by `-holder`.
    static let roleTokens =
        #""tokens":["#
        + AdminToken.Role.allCases.map { #"{"name":"\#($0)-holder","role":"\#($0)","token":{"file":"secrets/\#($0)-token"}}"# }.joined(
            separator: ",") + "]"

    /// The token of a role in `roleTokens`.
    static func token(_ role: AdminToken.Role) -> String {
        switch role {
        case .mint: TestSecret.text(210)
        case .read: TestSecret.text(211)
        case .operate: TestSecret.text(212)
        }
    }

    static func json(
        app: String = "shop", keys: [Int] = [1, 2], admin: String = #""port":0"#, listen: String = #""port":0"#,
        members: String = #""log":{}"#
    ) -> String {
        let keys = keys.map { #"{"id":\#($0),"secret":{"file":"secrets/app-\#($0).key"}}"# }.joined(separator: ",")
        return """
            {"listen":{\(listen)},"admin":{\(admin),"token":{"file":"secrets/admin-token"}},
             "apps":[{"app_id":"\(app)","keys":[\(keys)]}],\(members)}
            """
    }

    func graph() throws -> ServiceGraph {
        try ServiceGraph(configuration, logger: log.logger, clocks: Self.clocks)
    }

    /// Serves on real sockets until the body has returned.
    func withService<Result>(_ body: (RunningService) throws -> Result) throws -> Result {
        let service = try RunningService(configuration, logger: log.logger, clocks: Self.clocks)
        defer { service.stop() }
        return try body(service)
    }
}
