import Configuration
import Core
import HTTPClient
import HelpDesk
import JSON
import Notifiers
import TestSupport
import Testing
import Threading
import Time

@testable import Pyrus

/// The relay sends the registry's state at the time of the attempt, for any order of attempts and any clock.
@Suite struct PyrusOrderTests {
    private static let superseded = DeliveryOutcome(.delivered, reason: "superseded", calledReceiver: false)

    private static func registered(_ token: String = "push-token", type: String = "ios", user: String = "user") -> Event {
        RegistrationSample.event(user: user, type: type, token: token)
    }

    private static func removed(at time: UnixMilliseconds = Sample.now) -> Event {
        RegistrationSample.event(at: time, kind: .pushTokenRemoved)
    }

    /// Delivers each event five minutes after the previous one, with the device as registered at that time.
    /// - Returns: the outcome of each event, and the calls to the help desk.
    private func deliver(_ steps: [(Event, Device?)]) throws -> (outcomes: [DeliveryOutcome], reported: [String]) {
        let server = try ScriptedServer(.everyRequest(.respond(200, body: "{}")))
        defer { server.stop() }
        let client = try Client()
        defer { client.close() }
        let clocks = ManualClocks(unixMilliseconds: Sample.now)
        let notifier = try PyrusNotifier(
            .sample(server.url("/token")), RelayServices(mintKey: { _, _ in "key" }, clocks: clocks.clocks), client: client)
        var outcomes: [DeliveryOutcome] = []
        for (event, device) in steps {
            let ended = Outcomes(1)
            notifier.deliver(RegistrationSample.delivery(event, device)) { ended.add($0, 0) }
            outcomes.append(ended.wait()[0])
            clocks.pass(300_000)
        }
        return (outcomes, try server.requests.map(Self.text))
    }

    /// The person in a call, with the type and the token.
    private static func text(_ request: RecordedRequest) throws -> String {
        let body = try #require(JSONValue(parsing: request.body))
        func member(_ name: String) -> String { body[name]?.text ?? "?" }
        return body["token"] == .null ? "\(member("user_id")) -" : "\(member("user_id")) \(member("type")) \(member("token"))"
    }

    /// The delivery was deferred, or was dead and an operator retries it.
    @Test func `an old registration after the sign-out`() throws {
        let (outcomes, reported) = try deliver([(Self.removed(), nil), (Self.registered(), nil)])
        #expect(outcomes[1] == Self.superseded)
        #expect(reported == ["user -"])
    }

    @Test func `an old token after a new one`() throws {
        let (old, new) = (Self.registered("old"), Self.registered("new"))
        let device = RegistrationSample.device(new, token: "new")
        let (outcomes, reported) = try deliver([(old, device), (new, device), (old, device)])
        #expect(outcomes[0] == Self.superseded && outcomes[2] == Self.superseded)
        #expect(reported == ["user ios new"])
    }

    @Test func `an old type after a new one`() throws {
        let (old, new) = (Self.registered(type: "ios"), Self.registered(type: "rustore"))
        let device = RegistrationSample.device(new, type: "rustore")
        #expect(try deliver([(new, device), (old, device)]).reported == ["user rustore push-token"])
    }

    /// Signed out and in again, with another token or the same one.
    @Test(arguments: ["push-token", "another"]) func `an old sign-out after a new registration`(token: String) throws {
        let new = Self.registered(token)
        let device = RegistrationSample.device(new, token: token)
        let (outcomes, reported) = try deliver([(new, device), (Self.removed(), device)])
        #expect(outcomes[1] == Self.superseded)
        #expect(reported == ["user ios \(token)"])
    }

    @Test(arguments: [0, 1_000_000] as [UInt64]) func `the sign-out takes effect under any clock`(setBack: UInt64) throws {
        let registered = Self.registered()
        let steps = [(registered, RegistrationSample.device(registered)), (Self.removed(at: Sample.now - setBack), nil)]
        #expect(try deliver(steps).reported == ["user ios push-token", "user -"])
    }

    /// Another person has signed in on the device: the registrations of both change.
    @Test func `a token that moved`() throws {
        let next = Self.registered(user: "next")
        let steps = [(next, RegistrationSample.device(next)), (Self.registered(), nil), (Self.removed(), nil)]
        let (outcomes, reported) = try deliver(steps)
        #expect(outcomes[1] == Self.superseded)
        #expect(reported == ["next ios push-token", "user -"])
    }

    /// The tokens are equal strings in Swift, but providers compare bytes.
    @Test func `tokens are compared as bytes`() throws {
        let event = Self.registered("caf\u{E9}")
        #expect(try deliver([(event, RegistrationSample.device(event, token: "cafe\u{301}"))]).outcomes == [Self.superseded])
    }
}
