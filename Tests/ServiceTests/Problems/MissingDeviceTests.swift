import Storage
import TestSupport
import Testing
import Time

@testable import AdminAPI
@testable import Configuration
@testable import Core
@testable import Service

/// Apps without a registered device, whose comments find no device.
@Suite struct MissingDeviceTests: ProblemScene {
    private static let phones = Subscription(notifier: "phones", requiresDevice: true)

    private let store = MemoryStore()
    private let watched = WatchedStore()

    /// - Parameter routes: the member of the app `shop`.
    private static func configuration(_ routes: String) throws -> WatchedConfiguration {
        let notifiers = #""phones":{"type":"rustore","project_id":"p","token":"\#(secret)"},"log":{"type":"log"}"#
        let app = #""app_id":"shop","notifiers":["log"]\#(routes),"keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}]"#
        return WatchedConfiguration(
            try ConfigurationDirectory().configuration(#"{"apps":[{\#(app)}],"allow_insecure_secrets":true,"notifiers":{\#(notifiers)}}"#))
    }

    /// Posts comments for a person without a device.
    private func comment(_ numbers: ClosedRange<UInt8>) {
        for number in numbers {
            let event = Event(
                id: UUIDv7(milliseconds: Self.now.milliseconds, random: InlineArray(repeating: number)).event, kind: .commentCreated,
                identity: Event.Identity(appID: "shop", ticketID: 17, commentID: HelpDeskID(Int64(number)), deviceID: ""), userID: "ann",
                deviceType: nil, occurredAt: Self.now.milliseconds, receivedAt: Self.now.milliseconds,
                expiresAt: Self.now.milliseconds + 86_400_000, data: Event.emptyData)
            store.accept(IncomingEvent(event, to: [Self.phones]), telling: .nobody) { _ in }
        }
    }

    private func missing(_ routes: String = #","routes":{"default":"phones"}"#) throws -> [String] {
        watched.look(try Self.configuration(routes), store)
        return watched.facts.appsWithoutDevices
    }

    @Test func `comments without a device are a problem until a device registers`() throws {
        comment(1...4)
        #expect(try missing() == [])
        comment(5...5)
        #expect(try missing() == ["shop"])
        #expect(try missing("") == [], "no notifier needs a device")
        let key = Device.Key(appID: "shop", userID: "bob", deviceID: "phone")
        let registration = Registration(key: key, type: "ios", token: try PushToken("T"), now: Self.now.milliseconds, rules: [])
        store.register(registration, telling: .nobody, isAwaited: { true }) { _ in }
        #expect(try missing() == [])
    }

    @Test func `the problem contains the metric of registrations`() throws {
        let problem = try #require(try Self.search(withoutDevices: ["shop"]).problems.first)
        #expect(problem.kind == .devicesMissing)
        #expect(problem.severity == .warning)
        #expect(problem.subject == "shop")
        #expect(problem.remedy.english.contains(#"deskgate_push_token_requests_total{app="shop"}"#))
    }

    @Test func `explanations of the app's users and comments contain it`() throws {
        let search = try Self.search(withoutDevices: ["shop"])
        #expect(search.stoppingComments(of: "shop").map(\.kind) == [.devicesMissing])
        #expect(search.stoppingComments(of: "bank").isEmpty)
    }
}
