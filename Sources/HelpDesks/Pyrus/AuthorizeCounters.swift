internal import Core
internal import HelpDesk
internal import Observability

/// Counts verdicts: one counter for each combination of labels that a snapshot of apps can have, found without a lock or an allocation.
///
/// Not copyable, so that it is borrowed through its snapshot, and threads that count at the same time do not contend for reference counts.
struct AuthorizeCounters: ~Copyable, Sendable {
    /// By the id of the key.
    private struct DenialCounters {
        let denial: Denial
        let keys: NumberedCounters
    }

    private struct ApplicationCounters {
        let authorized: NumberedCounters
        let denied: [DenialCounters]
        let unknownKey: Counter
    }

    private let applications: [ApplicationCounters]
    private let unknownApp: Counter
    private let malformed: LabelledCounters<Malformation.Problem>
    private let invalidJSON: Counter
    private let notAnObject: Counter
    private let invalidForm: Counter
    private let undecided: Counter

    init(_ family: MetricFamily<Counter>, _ applications: [Application]) {
        let keyDenials = Denial.allCases.filter(\.isAboutOneKey)
        self.applications = applications.map { application in
            let app = String(decoding: application.id, as: UTF8.self)
            func keys(_ denial: Denial? = nil) -> [Int] {
                application.keys.filter { denial != .keyRetired || $0.notAfter != nil }.map { Int($0.id) }
            }
            return ApplicationCounters(
                authorized: NumberedCounters(keys()) { family.child(app, "authorized", "valid", "\($0)") },
                denied: keyDenials.map { denial in
                    DenialCounters(
                        denial: denial, keys: NumberedCounters(keys(denial)) { family.child(app, "denied", denial.rawValue, "\($0)") })
                },
                unknownKey: family.child(app, "denied", Denial.unknownKey.rawValue, ""))
        }
        unknownApp = family.child("", "denied", Denial.unknownApp.rawValue, "")
        malformed = LabelledCounters(Malformation.Problem.allCases) { family.child("", "malformed", $0.rawValue, "") }
        invalidJSON = family.child("", "malformed", BodyError.invalidJSONReason, "")
        notAnObject = family.child("", "malformed", BodyError.notAnObjectReason, "")
        invalidForm = family.child("", "malformed", BodyError.invalidFormReason, "")
        undecided = family.child("", "undecided", Verdict.undecided.reason, "")
    }
}

extension AuthorizeCounters {
    /// Counts a decision of the authorizer with the same apps.
    func count(_ decision: Authorizer.Decision) {
        switch (decision.verdict, decision.application) {
        case (.authorized(let keyID), let application?): applications[application].authorized.increment(Int(keyID))
        case (.denied(.unknownKey, _), let application?): applications[application].unknownKey.increment()
        case (.denied(let denial, let keyID?), let application?):
            let counters = applications[application].denied
            for index in counters.indices where counters[index].denial == denial { counters[index].keys.increment(Int(keyID)) }
        case (.denied, _): unknownApp.increment()
        case (.malformed(let malformation), _): malformed.increment(malformation.problem)
        case (.undecided, _), (.authorized, nil): undecided.increment()
        }
    }

    /// Counts a body that could not be read.
    func count(_ error: BodyError) {
        switch error {
        case .malformed(let malformation): malformed.increment(malformation.problem)
        case .invalidJSON: invalidJSON.increment()
        case .notAnObject: notAnObject.increment()
        // Only credentials are read here, so `unexpected` cannot occur.
        case .invalidForm, .unexpected: invalidForm.increment()
        }
    }
}

extension Denial {
    /// Whether it can only occur for a key that the app has.
    fileprivate var isAboutOneKey: Bool {
        switch self {
        case .unknownApp, .unknownKey: false
        case .wrongMac, .issuedInFuture, .expired, .tooOld, .keyRetired: true
        }
    }
}
