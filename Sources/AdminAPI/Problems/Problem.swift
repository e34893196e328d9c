internal import Configuration
internal import Core
internal import HTTPServer
internal import JSON

/// A current problem with its remedy.
struct Problem: Equatable {
    /// The kind, in a stable word; urgent kinds come first.
    enum Kind: String, CaseIterable {
        /// The service does not run; only commands report it.
        case serviceDown = "service_down"
        case store
        /// The revocations are unknown.
        case revocationsUnknown = "revocations_unknown"
        /// The revocations in force are older than the store's.
        case revocationsLate = "revocations_late"
        case revocationsCopy = "revocations_copy"
        case authorizationsUndecided = "authorizations_undecided"
        /// Nearly all authorizations of an app are denied.
        case nearlyAllDenied = "nearly_all_denied"
        /// Authorizations name an app that is not configured.
        case unknownApp = "unknown_app"
        case authorizationsMalformed = "authorizations_malformed"
        /// Callers are rejected because of their origin.
        case callersRefused = "callers_refused"
        case webhooksRefused = "webhooks_refused"
        /// Devices of a type are registered that no notifier of the app serves.
        case devicesUnserved = "devices_unserved"
        /// Comments find no device, because no device of the app is registered.
        case devicesMissing = "devices_missing"
        /// An app's backend has failed repeatedly, so it is called only at intervals.
        case backendOpen = "backend_open"
        /// An app's backend fails for new keys, so calls for them are rate limited.
        case backendNewKeys = "backend_new_keys"
        /// A notifier sends nothing until its settings, or its receiver's, are changed.
        case notifierPaused = "notifier_paused"
        /// A provider rejects devices as if a notifier's settings were those of another app or project, and nothing has arrived since.
        case settingsDoubtful = "settings_doubtful"
        /// A listener has no room for a connection.
        case listenerFull = "listener_full"
        /// A listener has no room for a body.
        case bodiesFull = "bodies_full"
        /// One caller has reached its limit of connections.
        case callerFull = "caller_full"
        /// The certificate of a listener has expired, or expires soon.
        case listenerCertificateEnds = "listener_certificate_ends"
        /// The certificate of a listener was renewed in its file, but the listener presents the former one.
        case listenerCertificateRenewed = "listener_certificate_renewed"
        /// The last active key of an app has expired, or expires soon, or the key that mints is revoked.
        case appKeyEnds = "app_key_ends"
        /// A notifier's credential has expired, or expires soon.
        case credentialEnds = "credential_ends"
        /// A notifier has failed repeatedly, so it is retried only at intervals.
        case notifierFailing = "notifier_failing"
        /// Deliveries wait for a notifier that is no longer configured.
        case notifierUnknown = "notifier_unknown"
        /// The notifier's queue is full, so that further deliveries end or are rejected.
        case queueFull = "queue_full"
        /// Deliveries wait too long for a notifier that works.
        case queueLate = "queue_late"
        /// Deliveries of a notifier were given up recently.
        case deliveriesDead = "deliveries_dead"
        case diskLow = "disk_low"
        case reloadRefused = "reload_refused"
        /// Another process that shares the store has other keys in force.
        case replicaKeys = "replica_keys"
        case configurationWarning = "configuration_warning"
    }

    /// The worst first.
    enum Severity: String, CaseIterable {
        /// Something does not work.
        case problem
        /// It works, but will fail.
        case warning
    }

    let kind: Kind
    let severity: Severity
    /// The notifier, the app, the listener or the path in the configuration; nil for the whole service.
    let subject: String?
    let text: LocalizedText
    let remedy: LocalizedText

    init(_ kind: Kind, as severity: Severity = .problem, of subject: String? = nil, _ text: LocalizedText, remedy: LocalizedText) {
        self.kind = kind
        self.severity = severity
        self.subject = subject
        self.text = text
        self.remedy = remedy
    }

    /// The problem that commands report when no service runs.
    /// - Parameter serve: the command line that starts it.
    static func serviceDown(_ serve: String) -> Problem {
        Problem(
            .serviceDown, LocalizedText("The service does not run.", "Служба не запущена."),
            remedy: LocalizedText(
                "\(ReportedProblem.remedy(startingBy: "\(Configuration.startOfUnit), or \(serve)"))",
                "Запустите её: \(Configuration.startOfUnit) или \(serve). Если она не запускается, причину назовут deskgate check и журнал."
            ))
    }

    /// The problem that commands report when no service runs on this host: a warning, because services on others may share the store.
    /// - Parameter serve: the command line that starts one.
    static func serviceElsewhere(_ serve: String) -> Problem {
        Problem(
            .serviceDown, as: .warning,
            LocalizedText(
                "No service runs on this host, so the command has read the store itself. Services on other hosts may share it.",
                "На этой машине служба не запущена, команда прочла хранилище сама. Его могут использовать службы на других машинах."),
            remedy: LocalizedText(
                "Run the command where a service runs, or start one here: \(Configuration.startOfUnit), or \(serve).",
                "Запустите команду там, где служба работает, или запустите службу здесь: \(Configuration.startOfUnit) или \(serve)."))
    }

    static let schema = Schema.object(members)
    /// The members of `json` with their JSON Schemas.
    static let members: [(String, JSONValue)] = [
        ("kind", Schema.choice(of: Kind.self)), ("severity", Schema.choice(of: Severity.self)),
        ("subject", AdminSchema.maybeText), ("text", Schema.text), ("remedy", Schema.text),
    ]

    func json(in language: Language) -> JSONValue {
        [
            "kind": .string(kind.rawValue), "severity": .string(severity.rawValue), "subject": subject.map { .string($0) } ?? .null,
            "text": JSONValue(text, in: language), "remedy": JSONValue(remedy, in: language),
        ]
    }
}

extension AdminContext {
    /// The problem that commands report without a service; nil in a service.
    var serviceProblem: Problem? {
        guard holds == nil else { return nil }
        let configuration = state.configuration
        return configuration.store.isShared ? .serviceElsewhere(configuration.serveLine) : .serviceDown(configuration.serveLine)
    }
}
