import Core
import HTTPServer
import TestSupport
import Time

@testable import AdminAPI
@testable import Configuration

/// The facts in which suites search for problems.
protocol ProblemScene {}

extension ProblemScene {
    static var now: UnixSeconds { TestTime.now }

    static func search(
        apps: String = ConfigurationDirectory.apps, members: String = #""log":{}"#, store: StoreError? = nil,
        revocations: RevocationStatus = known(),
        refusal: RefusedReload? = nil, statuses: [NotifierStatus] = [],
        pending: [PendingDeliveries] = [], replicas: [Replica] = [], others: String = "", crowded: [CrowdedListener] = [],
        backends: [(app: String, status: BackendStatus)] = [], answers: [AnswerWindow.Finding] = [], letsIn: Bool = true,
        nearestApp: String? = nil, unserved: [UnservedDevices.Finding] = [],
        disks: [(name: String, freeBytes: UInt64, wasLow: Bool)] = [], dead: [DeadDeliveries] = [],
        renewed: [String] = [], revokedKeys: [RevokedKey] = [], withoutDevices: [String] = []
    ) throws -> ProblemSearch {
        let crm = #""crm":{"type":"http","url":"https://crm.test/","secret":"\#(secret)"}"#
        let notifier = #""allow_insecure_secrets":true,"notifiers":{\#(crm)\#(others)}"#
        var configuration = try ConfigurationDirectory().configuration("{\(apps),\(notifier),\(members)}")
        // An unused notifier causes a warning of its own.
        if unserved.isEmpty { configuration.apps[0].notifiers = configuration.notifiers.map(\.name) }
        var facts = StoreFacts()
        (facts.disks, facts.dead, facts.renewedCertificates, facts.appsWithoutDevices) = (disks, dead, renewed, withoutDevices)
        return ProblemSearch(
            configuration, now: now.milliseconds, store: store, revocations: revocations, refusal: refusal, statuses: statuses,
            pending: pending,
            replicas: replicas, keysDigest: "own", revokedKeys: revokedKeys, crowded: crowded, backends: backends, answers: answers,
            letsIn: letsIn,
            nearestApp: nearestApp, unserved: unserved, facts: facts)
    }

    static func known(
        _ source: RevocationStatus.Source = .store, at time: UnixSeconds = now, copyProblem: String? = nil
    ) -> RevocationStatus {
        var status = RevocationStatus()
        (status.source, status.knownAt, status.copyProblem) = (source, time, copyProblem)
        return status
    }

    static func answers(
        _ kind: AnswerWindow.Finding.Kind, app: String = "", _ reason: String, isClosed: Bool = true
    ) -> AnswerWindow.Finding {
        AnswerWindow.Finding(kind, app: app, reason: reason, count: 20, reasonCount: 15, total: 21, isClosed: isClosed)
    }

    static var secret: String { "whsec_" + String(repeating: "QUJD", count: 8) }

    static func status(
        _ state: BreakerStatus, of name: String = "crm", pause: String? = nil, failure: String = "status_503", doubt: String? = nil,
        ends: UnixSeconds? = nil
    ) -> NotifierStatus {
        NotifierStatus(
            name: name, state: state, pause: pause.map { ($0, "as the log says") }, lastFailure: failure, settingsProblem: doubt,
            credentialExpiresAt: ends)
    }

    static func waiting(_ notifier: String, seconds: UInt64, count: Int = 3) -> PendingDeliveries {
        PendingDeliveries(notifier: notifier, count: count, oldestReceivedAt: (now - seconds).milliseconds)
    }

    static func dead(_ reason: String, _ count: Int, of notifier: String = "crm", app: String = "shop", secondsAgo: UInt64 = 60)
        -> DeadDeliveries
    {
        DeadDeliveries(
            notifier: notifier, appID: app, reason: reason, count: count, oldestReceivedAt: 0,
            newestReceivedAt: (now - secondsAgo).milliseconds, newestEndedAt: nil)
    }

    static func refused(_ reasons: [String], keys: [String] = []) -> RefusedReload {
        RefusedReload(at: now.milliseconds, reasons: reasons, keys: keys)
    }

    /// An app whose messages may be held.
    static var sendbird: String {
        #""apps":[{"app_id":"APP","help_desk":"sendbird","notifiers":["crm"],"keys":[{"id":1,"secret":{"file":"secrets/app-1.key"}}],"#
            + #""sendbird":{"chat_token":"\#(TestSecret.text(51))","desk_token":"\#(TestSecret.text(53))"}}]"#
    }

    /// The app `shop`, whose only key expires.
    static func ending(_ end: UnixSeconds) -> String {
        #""apps":[{"app_id":"shop","keys":[{"id":1,"secret":{"file":"secrets/app-1.key"},"not_after":\#(end)}]}]"#
    }
}
