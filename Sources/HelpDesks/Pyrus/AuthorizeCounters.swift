internal import Core
internal import HelpDesk
internal import Observability

/// Counts verdicts: one counter for each combination of labels that a snapshot of apps can have, found without a lock or an allocation.
///
/// Not copyable, so that it is borrowed through its snapshot and threads that count at the same time do not contend for reference counts.
struct AuthorizeCounters: ~Copyable, Sendable {
    private struct DenialCounters {
        /// By the id of the key.
        private struct Kind {
            let denial: Denial
            let keys: NumberedCounters
        }

        private let kinds: [Kind]
        private let unknownKey: Counter

        init(_ family: MetricFamily<Counter>, application: Application, app: String, result: String) {
            kinds = Denial.allCases.filter(\.isAboutOneKey).map { denial in
                let keys = application.keys.filter { denial != .keyRetired || $0.notAfter != nil }.map { Int($0.id) }
                return Kind(denial: denial, keys: NumberedCounters(keys) { family.child(app, result, denial.rawValue, "\($0)") })
            }
            unknownKey = family.child(app, result, Denial.unknownKey.rawValue, "")
        }

        func count(_ denial: Denial, _ keyID: UInt32?) {
            guard denial != .unknownKey, let keyID else { return unknownKey.increment() }
            for index in kinds.indices where kinds[index].denial == denial { kinds[index].keys.increment(Int(keyID)) }
        }
    }

    private struct ApplicationCounters {
        let authorized: NumberedCounters
        let denied: DenialCounters
        /// Nil for an app without a shadow mode.
        let shadowed: DenialCounters?
        /// Verdicts after querying the app's backend; nil for an app without one.
        let backend: LabelledCounters<Verdict>?
    }

    private let applications: [ApplicationCounters]
    private let unknownApp: Counter
    private let malformed: LabelledCounters<ValidationError.Problem>
    private let invalidJSON: Counter
    private let notAnObject: Counter
    private let invalidForm: Counter
    private let undecided: LabelledCounters<UndecidedReason>

    init(_ family: MetricFamily<Counter>, _ applications: [Application]) {
        self.applications = applications.map { application in
            let app = application.name
            return ApplicationCounters(
                authorized: NumberedCounters(application.keys.map { Int($0.id) }) { family.child(app, "authorized", "valid", "\($0)") },
                denied: DenialCounters(family, application: application, app: app, result: "denied"),
                shadowed: application.shadowUntil == nil
                    ? nil : DenialCounters(family, application: application, app: app, result: "shadowed"),
                backend: application.verification == .key ? nil : Self.backendCounters(family, application: application, app: app))
        }
        unknownApp = family.child("", "denied", Denial.unknownApp.rawValue, "")
        malformed = LabelledCounters(ValidationError.Problem.allCases) { family.child("", "malformed", $0.rawValue, "") }
        invalidJSON = family.child("", "malformed", BodyError.invalidJSONReason, "")
        notAnObject = family.child("", "malformed", BodyError.notAnObjectReason, "")
        invalidForm = family.child("", "malformed", BodyError.invalidFormReason, "")
        undecided = LabelledCounters(Self.ownIndecisions) { family.child("", "undecided", $0.rawValue, "") }
    }

    /// The reasons that do not depend on a backend.
    private static let ownIndecisions: [UndecidedReason] = [.internalError, .revocationsUnknown]

    private static func backendCounters(
        _ family: MetricFamily<Counter>, application: Application, app: String
    ) -> LabelledCounters<Verdict> {
        let keyIDs: [UInt32?] = application.verification == .backend ? [nil] : application.keys.map(\.id)
        let decided = keyIDs.flatMap { keyID -> [Verdict] in
            // A key that only the backend can read has none of the app's key ids, so a block is counted here.
            let denials: [Denial] = [.backendDenied, .backendUndecided] + (keyID == nil ? [.revoked] : [])
            let shadowed = application.shadowUntil == nil ? [] : denials.map { Verdict.shadowed($0, keyID: keyID) }
            return [.authorized(keyID: keyID), .authorized(keyID: keyID, isConfirmed: false)] + denials.map { .denied($0, keyID: keyID) }
                + shadowed
        }
        let undecided = UndecidedReason.allCases.filter { !ownIndecisions.contains($0) }.map { Verdict.undecided($0) }
        return LabelledCounters(decided + undecided) { verdict in
            family.child(app, verdict.result, verdict.reason, verdict.keyID.map { "\($0)" } ?? "")
        }
    }
}

extension AuthorizeCounters {
    /// - Parameter decision: made by the authorizer with the same apps.
    func count(_ decision: Authorizer.Authorization) {
        if let application = decision.application, let backend = applications[application].backend, backend.increment(decision.verdict) {
            return
        }
        switch (decision.verdict, decision.application) {
        case (.authorized(let keyID?, _), let application?): applications[application].authorized.increment(Int(keyID))
        case (.denied(let denial, let keyID), let application?): applications[application].denied.count(denial, keyID)
        case (.shadowed(let denial, let keyID), let application?): applications[application].shadowed?.count(denial, keyID)
        case (.denied, nil), (.shadowed, nil): unknownApp.increment()
        case (.malformed(let error), _): malformed.increment(error.problem)
        case (.undecided(.revocationsUnknown), _): undecided.increment(.revocationsUnknown)
        case (.undecided, _), (.unconfirmed, _), (.authorized, _): undecided.increment(.internalError)
        }
    }

    func count(_ error: BodyError) {
        switch error {
        case .malformed(let error): malformed.increment(error.problem)
        case .invalidJSON: invalidJSON.increment()
        case .notAnObject: notAnObject.increment()
        // Only credentials are read here, so `unexpected` cannot occur.
        case .invalidForm, .unexpected: invalidForm.increment()
        }
    }
}

extension Denial {
    /// Whether the denial always refers to one of the app's keys.
    fileprivate var isAboutOneKey: Bool {
        switch self {
        case .unknownApp, .unknownKey, .backendDenied, .backendUndecided: false
        case .wrongMac, .issuedInFuture, .expired, .tooOld, .keyRetired, .revoked: true
        }
    }
}
