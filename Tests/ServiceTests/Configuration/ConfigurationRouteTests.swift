import Core
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

@Suite struct ConfigurationRouteTests {
    private let directory: ConfigurationDirectory

    init() throws {
        directory = try ConfigurationDirectory()
        directory.environment["TOKEN"] = TestSecret.text(20)
        directory.environment["SIGNING"] = TestSecret.signing(21)
    }

    private static func json(_ app: String) -> String {
        let push = #"{"type":"rustore","project_id":"p","token":{"env":"TOKEN"}}"#
        return """
            {"apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"webhook":{"secret":{"env":"TOKEN"}}\(app)}],
             "notifiers":{"log":{"type":"log"},"journal":{"type":"log","requires_device":true},"one":\(push),"two":\(push),"relay":{"type":"pyrus"},
                          "backend":{"type":"http","url":"https://example.com","secret":{"env":"SIGNING"},"keeps_ticket_order":true}}}
            """
    }

    private func subscriptions(_ app: String) throws -> AppSubscriptions {
        AppSubscriptions(try directory.configuration(Self.json(app)))
    }

    @Test func `route each type to its notifier`() throws {
        let subscriptions = try subscriptions(#","notifiers":["log"],"routes":{"ios":"one","ipad":"one","android":"two","tv":"backend"}"#)
        #expect(
            subscriptions.comments("shop") == [
                Subscription(notifier: "log", requiresDevice: false),
                Subscription(notifier: "one", deviceTypes: .only(["ios", "ipad"]), requiresDevice: true),
                Subscription(notifier: "two", deviceTypes: .only(["android"]), requiresDevice: true),
                Subscription(notifier: "backend", deviceTypes: .only(["tv"]), requiresDevice: false, keepsOrder: true),
            ])
        #expect(subscriptions.registry.subscriptions(of: "shop").map(\.notifier) == ["log"])
    }

    /// Otherwise a backend that manages its users' devices would get nothing.
    @Test func `require a device only for pushes`() throws {
        let subscriptions = try subscriptions(#","notifiers":["log","backend","one","journal"]"#)
        #expect(subscriptions.comments("shop").map(\.requiresDevice) == [false, false, true, true])
        #expect(!Configuration.Notifier(name: "log", kind: .log).requiresDevice)
    }

    @Test func `route other types to the default`() throws {
        let subscriptions = try subscriptions(#","notifiers":[],"routes":{"ios":"one","rustore":"two","default":"two"}"#)
        #expect(
            subscriptions.comments("shop") == [
                Subscription(notifier: "one", deviceTypes: .only(["ios"]), requiresDevice: true),
                Subscription(notifier: "two", deviceTypes: .except(["ios"]), requiresDevice: true),
            ])
    }

    @Test func `send no registrations to push notifiers, and nothing else to the relay`() throws {
        let subscriptions = try subscriptions(#","notifiers":["one","relay","backend"]"#)
        #expect(subscriptions.comments("shop").map(\.notifier) == ["one", "backend"])
        #expect(subscriptions.comments("shop")[0] == Subscription(notifier: "one", deviceTypes: .all, requiresDevice: true))
        #expect(
            subscriptions.registry.subscriptions(of: "shop") == [
                Subscription(notifier: "relay"), Subscription(notifier: "backend", keepsOrder: true),
            ])
    }

    @Test func `send read receipts to backends, and to push notifiers that withdraw`() throws {
        let app = #","notifiers":["log","relay","backend"],"routes":{"ios":"one","android":"two"}"#
        let reported = [Subscription(notifier: "log"), Subscription(notifier: "backend", keepsOrder: true)]
        #expect(try subscriptions(app).seen("shop") == reported)
        let json = Self.json(app).replacing(#""one":{"#, with: #""one":{"withdraw":true,"#)
        let subscriptions = AppSubscriptions(try directory.configuration(json))
        let phones = Subscription(notifier: "one", deviceTypes: .only(["ios"]), requiresDevice: true, isForEachDevice: true)
        #expect(subscriptions.seen("shop") == reported + [phones])
        #expect(subscriptions.tickets("shop") == reported)
        #expect(subscriptions.seen("other").isEmpty)
    }

    /// Members of an app's object, a type of device, and whether only APNs notifies it.
    private static let providers: [(app: String, type: String, isForAPNs: Bool)] = [
        (#","routes":{"ios":"apple","android":"one"}"#, "ios", true), (#","routes":{"ios":"apple","android":"one"}"#, "android", false),
        (#","routes":{"ios":"apple","android":"one"}"#, "tv", false), (#","routes":{"android":"one","default":"apple"}"#, "ios", true),
        (#","routes":{"android":"one","default":"apple"}"#, "", true),
        (#","routes":{"android":"one","default":"apple"}"#, "android", false),
        (#","notifiers":["apple"]"#, "ios", true), (#","notifiers":["apple","log","backend"]"#, "ios", true),
        (#","notifiers":["apple","one"]"#, "ios", false), (#","notifiers":["one"],"routes":{"ios":"apple"}"#, "ios", false),
        (#","notifiers":["backend","relay"]"#, "ios", false), ("", "ios", false),
    ]

    @Test(arguments: providers.indices) func `tell whether only APNs notifies a type`(index: Int) throws {
        let (app, type, isForAPNs) = Self.providers[index]
        try directory.writePushCredentials()
        let apple =
            #""apple":{"type":"apns","key":{"file":"secrets/AuthKey_ABCDE12345.p8"},"key_id":"ABCDE12345","team_id":"FGHIJ67890","#
            + #""topic":"com.example.chat"},"#
        let json = Self.json(app).replacing(#""notifiers":{"log""#, with: #""notifiers":{\#(apple)"log""#)
        let subscriptions = AppSubscriptions(try directory.configuration(json))
        #expect(subscriptions.useAPNsAlone("shop", deviceType: type) == isForAPNs)
        #expect(!subscriptions.useAPNsAlone("other", deviceType: type))
    }

    @Test(
        arguments: [
            (#","notifiers":["log"],"routes":{"iOS":"one"}"#, true), (#","routes":{"iOS":"backend"}"#, true),
            (#","routes":{"ios":"one"}"#, false), (#","routes":{"iOS":"one","default":"two"}"#, false),
            (#","notifiers":["backend"],"routes":{"iOS":"one"}"#, false), (#","notifiers":["one"]"#, false),
            (#","notifiers":["log"]"#, false), (#","notifiers":[]"#, false),
        ])
    func `an app with push notifiers may have an unserved type`(_ app: String, _ isLeftOut: Bool) throws {
        let subscriptions = try subscriptions(app)
        #expect(subscriptions.leaveOut("shop", deviceType: "ios") == isLeftOut)
        #expect(!subscriptions.leaveOut("other", deviceType: "ios"))
    }

    @Test(
        arguments: [
            (#"{"android":"one","huawei":"two","default":"two"}"#, nil),
            (#"{"*":"one"}"#, "routes.*: takes only devices that registered with the type \"*\"; write \"default\" for all other types"),
            (
                #"{"iOS":"backend"}"#,
                "routes.iOS: takes only devices that registered with exactly this type; if \"ios\" is meant, write that"
            ),
            (
                #"{"andriod":"one"}"#,
                "routes.andriod: takes only devices that registered with exactly this type; if \"android\" is meant, write that"
            ),
            (
                #"{"defualt":"one"}"#,
                "routes.defualt: takes only devices that registered with exactly this type; if \"default\" is meant, write that"
            ),
            (#"{"iOS":"backend","ios":"backend"}"#, nil),
            (#"{"ios":"one"}"#, "routes.ios: names a notifier of type rustore, which reaches no such devices; name one that does"),
        ] as [(String, String?)])
    func `a route without devices causes a warning`(_ routes: String, _ warning: String?) throws {
        let found = try directory.configuration(Self.json(#","routes":\#(routes)"#)).routeWarnings
        for warning in found { #expect(warning.message.isTranslated) }
        #expect(found.map { "\($0.path): \($0.message.english)" } == warning.map { ["$.apps[0].\($0)"] } ?? [])
    }

    @Test(arguments: [
        (#","routes":[]"#, [#"routes: expected an object such as {"ios": "NOTIFIER", "default": "NOTIFIER"}, found a list"#]),
        (#","routes":{}"#, [#"routes: expected at least one type of device, or "default""#]),
        (#","routes":{"ios":1}"#, ["routes.ios: expected the name of a notifier, found a number"]),
        (#","routes":{"ios":"three"}"#, ["routes.ios: no notifier has this name; known are: log, journal, one, two, relay, backend"]),
        (
            #","routes":{"ios":"relay"}"#,
            [#"routes.ios: a notifier of type "pyrus" gets registrations only; name it in "notifiers""#]
        ),
        (
            #","notifiers":["one"],"routes":{"":"two","default":"one"}"#,
            [
                #"routes."": expected a type of device of 1 to 32 UTF-16 code units"#,
                #"routes.default: "notifiers" names this one for all devices already; remove it there or here"#,
            ]
        ),
    ])
    func `report every mistake`(app: String, problems: [String]) throws {
        #expect(try directory.problems(Self.json(app)) == problems.map { "$.apps[0].\($0)" })
    }
}
