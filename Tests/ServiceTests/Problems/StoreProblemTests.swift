import Core
import TestSupport
import Testing
import Time

@testable import AdminAPI

/// Problems of the store, its disk, the configuration and credentials.
@Suite struct StoreProblemTests: ProblemScene {
    /// Operators who get the event see no other report.
    @Test(
        arguments: [
            (Self.refused(["$.log.levle: unknown key"]), "stays in force: $.log.levle: unknown key.", "Correct that"),
            (Self.refused([#"did you mean "level"?"#]), #"stays in force: did you mean "level"?"#, "Correct that"),
            (Self.refused(["$.host: empty.", "$.port: zero."]), "stays in force: $.host: empty.; $.port: zero.", "Correct that"),
            (Self.refused(["1", "2", "3", "4", "5"]), "stays in force: 1; 2; 3, and 2 more.", "Correct that"),
            (Self.refused(["1"], keys: ["$.listen.port"]), "only a restart takes over $.listen.port.", "Restart the service"),
            (
                Self.refused(["1", "2", "3", "4"], keys: ["$.u", "$.v", "$.w", "$.x"]),
                "only a restart takes over $.u, $.v, $.w, and 1 more.", "Restart the service"
            ),
        ])
    func `a rejected reload is reported with its first reasons and the remedy`(_ refusal: RefusedReload, text: String, remedy: String)
        throws
    {
        let problem = try #require(try Self.search(refusal: refusal).problems.first)
        #expect(problem.text.english.hasSuffix(text))
        #expect(problem.remedy.english.hasPrefix(remedy))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test(
        arguments: [
            (999_999_999, "", [.diskLow]), (1_000_000_000, "", []), (1_000_000_000, #""disk_free_megabytes":1001"#, [.diskLow]),
            (0, #""disk_free_megabytes":0"#, []),
        ] as [(UInt64, String, [Problem.Kind])])
    func `thresholds determine when a disk is low`(_ free: UInt64, thresholds: String, kinds: [Problem.Kind]) throws {
        let members = #""log":{},"operators":{"thresholds":{\#(thresholds)}}"#
        let problems = try Self.search(members: members, disks: [("store", free, false)]).problems
        #expect(problems.map(\.kind) == kinds)
        #expect(problems.allSatisfy { $0.severity == .warning })
    }

    /// Otherwise the problem would alternate at the threshold.
    @Test(
        arguments: [(999_999_999, "less than 1000"), (1_249_999_999, "had less than 1000"), (1_250_000_000, nil)] as [(UInt64, String?)])
    func `a disk that was low is reported until a quarter more is free`(_ free: UInt64, _ words: String?) throws {
        let text = try Self.search(disks: [("store", free, true)]).problems.first?.text
        #expect((text == nil) == (words == nil))
        #expect(text?.english.contains(words ?? "") ?? true)
        #expect(text?.isTranslated ?? true)
    }

    /// Their lifetime ends them, for any behavior of the receiver.
    @Test(arguments: [("expired", true), ("status_404", false)])
    func `expired deliveries have the failure that delayed them`(_ reason: String, _ isNamed: Bool) throws {
        let search = try Self.search(statuses: [Self.status(.working, failure: "cannot_connect")], dead: [Self.dead(reason, 3)])
        let problem = try #require(search.problems.first { $0.kind == .deliveriesDead })
        let cause = " The last attempt of crm that failed: no connection to the receiver could be made (cannot_connect)."
        #expect(problem.text.english.hasSuffix(cause) == isNamed, "\(problem.text.english)")
        #expect(problem.text.isTranslated)
    }

    @Test(arguments: [RevocationStatus.Source.store, .none])
    func `the remedy of a copy that cannot be used names its file`(_ source: RevocationStatus.Source) throws {
        var status = Self.known(source, copyProblem: "cannot write the copy /copy: it belongs to root, not to deskgate")
        status.copyCommand = "chown deskgate: /copy"
        let problem = try #require(Self.search(revocations: status).problems.first)
        #expect(problem.remedy.english.hasSuffix("The copy is tried again by itself. As root, run: chown deskgate: /copy"))
        #expect(problem.remedy.russian.hasSuffix(": chown deskgate: /copy"))
    }

    @Test func `a copy that waits for the store has no problem of the directory`() throws {
        var status = Self.known(copyProblem: "cannot read the revocations for their copy: connection lost")
        status.copyWaitsForStore = true
        let problem = try #require(Self.search(revocations: status).problems.first)
        #expect(problem.remedy.english == "Make the store usable again; the copy is then written by itself.")
        #expect(problem.remedy.isTranslated)
    }

    @Test func `an expired credential is more severe than an expiring one`() throws {
        func severity(_ end: UnixSeconds) throws -> Problem.Severity? {
            try Self.search(statuses: [Self.status(.working, ends: end)]).problems.first?.severity
        }
        #expect(try severity(Self.now) == .problem)
        #expect(try severity(Self.now - 86_400) == .problem)
        #expect(try severity(Self.now + 29 * 86_400) == .warning)
        #expect(try severity(Self.now + 31 * 86_400) == nil)
    }

    /// It is not also a warning of the configuration.
    @Test(
        arguments: [
            (-86_400, Problem.Severity.problem, "The last active key of shop ended at "),
            (0, .problem, "The last active key of shop ended at "),
            (29 * 86_400, .warning, "The last active key of shop ends in 29 days, at "), (31 * 86_400, nil, ""),
        ] as [(Int64, Problem.Severity?, String)])
    func `the expiry of an app's last key is reported`(_ seconds: Int64, severity: Problem.Severity?, text: String) throws {
        let problems = try Self.search(apps: Self.ending(Self.now.advanced(by: seconds))).problems
        #expect(problems.map(\.kind) == (severity == nil ? [] : [.appKeyEnds]))
        #expect(problems.first?.severity == severity)
        #expect(problems.first?.text.english.hasPrefix(text) != false)
    }

    @Test func `a revoked key that mints is a problem`() throws {
        let problem = try #require(
            try Self.search(revokedKeys: [RevokedKey(app: "shop", keyID: 7, isMinting: true, other: nil)]).problems.first)
        #expect(problem.kind == .appKeyEnds)
        #expect(problem.severity == .problem)
        #expect(problem.subject == "shop")
        #expect(problem.text.english.hasPrefix("The active key id 7 of shop is revoked"))
        #expect(problem.remedy.english.contains("deskgate secret rotate"))
        #expect(problem.text.isTranslated)
    }

    @Test func `another key mints in place of a revoked one without a rotation`() throws {
        let problem = try #require(
            try Self.search(revokedKeys: [RevokedKey(app: "shop", keyID: 7, isMinting: true, other: 3)]).problems.first)
        let remedy = "Set \"state\": \"verify_only\" for key 7 in apps[].keys and run deskgate reload. "
        #expect(problem.remedy.english == remedy + "Then key 3 mints: have the app's backend mint with it.")
        #expect(problem.remedy.isTranslated)
    }

    @Test(arguments: [
        (
            ExpiringCredential.Kind.listenerCertificate, "public", "The certificate of the public listener expired at ",
            "listen.tls.certificate"
        ),
        (.listenerCertificate, "admin", "The certificate of the admin listener expired at ", "admin.tls.certificate"),
        (.notifierCertificate, "apns", "The certificate of apns expired at ", "notifiers.apns.certificate"),
        (.appKey, "shop", "The last active key of shop ended at ", "deskgate secret rotate"),
    ])
    func `an expired credential is a problem with a remedy`(
        _ kind: ExpiringCredential.Kind, name: String, text: String, remedy: String
    ) {
        let problem = ExpiringCredential(kind, of: name, expiresAt: Self.now).problem(now: Self.now)
        #expect(problem.severity == .problem)
        #expect(problem.subject == name)
        #expect(problem.text.english.hasPrefix(text))
        #expect(problem.remedy.english.contains(remedy))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
        #expect(ExpiringCredential(kind, of: name, expiresAt: Self.now + 1).problem(now: Self.now).severity == .warning)
    }

    @Test func `a credential is shown no later than operators get its event`() throws {
        let members = #""log":{},"operators":{"thresholds":{"expires_days":45}}"#
        let search = try Self.search(members: members, statuses: [Self.status(.working, ends: Self.now + 44 * 86_400)])
        #expect(search.problems.map(\.kind) == [.credentialEnds])
    }

    @Test(arguments: [StoreError.Kind.queueFull, .diskFull, .corrupt, .unavailable, .notOpen, .inDoubt, .closed])
    func `every fault of the store has a remedy`(_ kind: StoreError.Kind) throws {
        let problem = try #require(try Self.search(store: StoreError(kind, "away")).problems.first)
        #expect(problem.kind == .store)
        #expect(problem.text.english.contains("(\(kind.rawValue)): away."))
        #expect(problem.text.isTranslated)
        #expect(problem.remedy.isTranslated)
    }

    @Test func `a full disk is reported with the required free space`() throws {
        let problem = try #require(try Self.search(store: StoreError(.diskFull, "full")).problems.first)
        #expect(problem.remedy.english.contains("lower store.minimum_free_megabytes and restart"))
    }

    /// The store works then, so a registration is stored, and only its event is dropped.
    @Test func `a full queue rejects only webhooks`() throws {
        let problem = try #require(try Self.search(store: StoreError(.queueFull, "full")).problems.first)
        #expect(problem.remedy.english.contains("raise store.max_pending and restart. Webhooks are answered 503, "))
        #expect(problem.remedy.english.contains("registrations are taken, "))
        #expect(problem.remedy.english.hasSuffix("deskgate deliveries retry --reason queue_full."))
        #expect(!problem.remedy.english.contains("revocations"))
    }

    /// A cause may contain a semicolon.
    @Test(arguments: [
        (
            StoreError(.corrupt, "desk.db was written by a newer version", remedy: "run that version"),
            "desk.db was written by a newer version.", "Run that version. The service tries again by itself."
        ),
        (
            StoreError(.inDoubt, "it hangs; it is unknown whether", remedy: "look at the server; wait"),
            "it hangs; it is unknown whether.", "Look at the server; wait. The service tries again by itself."
        ),
        (StoreError(.notOpen, "connection lost"), "connection lost.", "Make it reachable again. The service tries again by itself."),
    ])
    func `the remedy of a store follows its cause`(_ error: StoreError, cause: String, remedy: String) throws {
        let problem = try #require(try Self.search(store: error).problems.first)
        #expect(problem.text.english == "The store cannot be used (\(error.kind.rawValue)): \(cause)")
        #expect(problem.remedy.english.hasPrefix(remedy))
    }

    @Test func `an unavailable store is reported with the functions that continue and their revocations`() throws {
        func remedy(_ revocations: RevocationStatus) throws -> String? {
            let search = try Self.search(store: StoreError(.notOpen, "away"), revocations: revocations)
            return search.problems.first?.remedy.english
        }
        let recoversByItself = "Chats are authorized with the revocations of \(RFC3339.text((Self.now - 7200).milliseconds)), 2 hours ago;"
        #expect(try remedy(Self.known(.copy, at: Self.now - 7200))?.contains(recoversByItself) == true)
        #expect(try remedy(Self.known(at: Self.now - 7200))?.contains(recoversByItself) == true)
        #expect(try remedy(Self.known())?.contains("webhooks may not be repeated") == true)
        let stops = "Genuine keys, webhooks and registrations are answered 503."
        #expect(try remedy(Self.known(.none, at: 0))?.contains(stops) == true)
    }

    @Test func `revocations from the copy are reported at any age`() throws {
        #expect(try Self.search(revocations: Self.known(.copy)).problems.map(\.kind) == [.revocationsLate])
        #expect(try Self.search(revocations: Self.known(at: Self.now - 30)).problems == [])
    }
}
