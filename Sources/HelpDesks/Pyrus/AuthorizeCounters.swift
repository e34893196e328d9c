internal import Core
internal import Observability
internal import HelpDesk

/// Counts verdicts: one counter for each combination of labels that a snapshot of apps can have, found without a lock or an allocation.
///
/// Not copyable, so that whoever uses it through its snapshot borrows it: threads that count at once count no references.
struct AuthorizeCounters: ~Copyable, Sendable {
    private struct Labelled<Label: Sendable & Equatable>: Sendable {
        let label: Label
        let counter: Counter
    }

    private struct KeyCounters {
        let id: UInt32
        let authorized: Counter
        let denied: [Labelled<Denial>]
    }

    private struct ApplicationCounters {
        let keys: [KeyCounters]
        let unknownKey: Counter
    }

    private let applications: [ApplicationCounters]
    private let unknownApp: Counter
    private let malformed: [Labelled<Malformation.Problem>]
    private let invalidJSON: Counter
    private let notAnObject: Counter
    private let invalidForm: Counter
    private let undecided: Counter

    init(_ family: MetricFamily<Counter>, _ applications: [Application]) {
        let keyDenials = Denial.allCases.filter(\.isAboutOneKey)
        self.applications = applications.map { application in
            let app = String(decoding: application.id, as: UTF8.self)
            return ApplicationCounters(
                keys: application.keys.map { key in
                    KeyCounters(
                        id: key.id, authorized: family.child(app, "authorized", "valid", "\(key.id)"),
                        denied: keyDenials.map { Labelled(label: $0, counter: family.child(app, "denied", $0.rawValue, "\(key.id)")) })
                },
                unknownKey: family.child(app, "denied", Denial.unknownKey.rawValue, ""))
        }
        unknownApp = family.child("", "denied", Denial.unknownApp.rawValue, "")
        malformed = Malformation.Problem.allCases.map {
            Labelled(label: $0, counter: family.child("", "malformed", $0.rawValue, ""))
        }
        invalidJSON = family.child("", "malformed", UnreadableBody.invalidJSONReason, "")
        notAnObject = family.child("", "malformed", UnreadableBody.notAnObjectReason, "")
        invalidForm = family.child("", "malformed", UnreadableBody.invalidFormReason, "")
        undecided = family.child("", "undecided", Verdict.undecided.reason, "")
    }
}

extension AuthorizeCounters {
    /// Counts a decision of the authorizer that has the same apps.
    func count(_ decision: Authorizer.Decision) {
        switch (decision.verdict, decision.application) {
        case (.authorized(let keyID), let application?): countAuthorized(keyID, of: application)
        case (.denied(.unknownKey, _), let application?): applications[application].unknownKey.increment()
        case (.denied(let denial, let keyID?), let application?): count(denial, of: keyID, of: application)
        case (.denied, _): unknownApp.increment()
        case (.malformed(let malformation), _): Self.increment(malformation.problem, in: malformed)
        case (.undecided, _), (.authorized, nil): undecided.increment()
        }
    }

    /// Counts a body that could not be read.
    func count(_ body: UnreadableBody) {
        switch body {
        case .malformed(let malformation): Self.increment(malformation.problem, in: malformed)
        case .invalidJSON: invalidJSON.increment()
        case .notAnObject: notAnObject.increment()
        case .invalidForm: invalidForm.increment()
        }
    }

    private func countAuthorized(_ id: UInt32, of application: Int) {
        for index in applications[application].keys.indices where applications[application].keys[index].id == id {
            return applications[application].keys[index].authorized.increment()
        }
    }

    private func count(_ denial: Denial, of id: UInt32, of application: Int) {
        for key in applications[application].keys where key.id == id {
            return Self.increment(denial, in: key.denied)
        }
    }

    private static func increment<Label>(_ label: Label, in counters: [Labelled<Label>]) {
        for entry in counters where entry.label == label {
            return entry.counter.increment()
        }
    }
}

extension Denial {
    /// Whether it can only be said of a key that the app has.
    fileprivate var isAboutOneKey: Bool {
        switch self {
        case .unknownApp, .unknownKey: false
        case .wrongMac, .issuedInFuture, .expired, .tooOld: true
        }
    }
}
