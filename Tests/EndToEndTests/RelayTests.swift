import Core
import JSON
import Storage
import TestSupport
import Testing
import Time

/// The relay of registrations to the help desk.
@Suite struct RelayTests {
    private static let token = "\(Markers.prefix)-push-token-" + String(repeating: "1bE8", count: 12)

    /// The help desk rejects the registration, its owner signs out in the meantime, and the service restarts before either is retried.
    @Test func `a token whose owner has signed out is not sent`() throws {
        let helpDesk = try ScriptedServer(.requests([[.respond(503)], [.respond(200, body: "{}")]]))
        defer { helpDesk.stop() }
        let site = try WebhookSite(
            helpDesk,
            [
                "apps": [WebhookSite.app(notifiers: ["relay"])],
                "notifiers": ["relay": ["type": "pyrus", "url": .string(helpDesk.url("/SetPushToken"))]],
            ])
        let first = try site.start()
        let client = try SocketClient(first.publicAddress)
        let key = try site.workspace.key(user: PushTokenStoryTests.user)
        #expect(try PushTokenStoryTests.register(Self.token, key: key, client: client).text == #"{"status":"registered"}"#)
        #expect(helpDesk.waitForRequests(1))
        #expect(try PushTokenStoryTests.register(nil, key: key, client: client).text == #"{"status":"removed"}"#)
        #expect(eventually { (try? reasons(site))?.first == "paced" }, "a person's calls are five minutes apart")
        #expect(try first.stop() == .exit(0))

        try makeDue(site)
        let second = try site.start()
        #expect(eventually { (try? reasons(site)) == ["status_200", "superseded"] })
        #expect(try second.stop() == .exit(0))
        #expect(try helpDesk.requests.map { try jsonObject($0.text)["token"] } == [.string(Self.token), .null])
    }

    /// Makes all waiting deliveries due.
    private func makeDue(_ site: WebhookSite) throws {
        let store = try SQLiteStore(path: site.workspace.directory.path("deskgate.db"))
        defer { store.close() }
        let now = SystemClock.unixMilliseconds()
        let claim = Claim(notifier: "relay", now: now, leaseMilliseconds: 1, limit: 10, longestDelayMilliseconds: 0)
        let waiting = try store.work([], [claim])[0].get().deliveries
        #expect(waiting.count == 2)
        // All calls are outside the window by then.
        _ = try store.purge(now: now + 301_000, deliveredBefore: 0, deadBefore: 0, limit: 10)
        _ = try store.work(
            waiting.map { FinishedAttempt(id: $0.id, attempt: $0.attempts, next: .retry(at: now), reason: "due", now: now) }, [])
    }

    /// The reasons of the relay's deliveries, newest first.
    private func reasons(_ site: WebhookSite) throws -> [String] {
        let result = try Deskgate.run("deliveries", "list", "--json", "--config", site.workspace.configuration)
        guard case .array(let found) = try result.json["deliveries"] else { throw ChildProcess.Failure.missingOutput }
        return found.compactMap { if case .object(let delivery) = $0 { delivery.string("reason") } else { nil } }
    }
}
