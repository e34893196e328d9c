package enum NotifierType: Sendable, Hashable, CaseIterable, RawRepresentable {
    case log
    case http
    case apns
    case fcm
    case rustore
    case hms
    case relay(HelpDeskKind)

    /// All types, in the order in which errors list them.
    package static let allCases: [NotifierType] = [.log, .http, .apns, .fcm, .rustore, .hms] + HelpDeskKind.allCases.map { .relay($0) }

    package init?(rawValue: String) {
        guard let type = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(rawValue.utf8) }) else { return nil }
        self = type
    }

    package var rawValue: String {
        switch self {
        case .log: "log"
        case .http: "http"
        case .apns: "apns"
        case .fcm: "fcm"
        case .rustore: "rustore"
        case .hms: "hms"
        case .relay(let helpDesk): helpDesk.rawValue
        }
    }

    /// Whether the notifier relays registrations to a help desk, and therefore receives no comments.
    package var isRelay: Bool {
        if case .relay = self { true } else { false }
    }

    package var isPush: Bool {
        switch self {
        case .apns, .fcm, .rustore, .hms: true
        case .log, .http, .relay: false
        }
    }

    /// Whether by default the notifier receives a comment only if the person has a device: to notify a phone, or to relay a registration.
    /// Other notifiers receive every comment, because registrations may exist only at the help desk.
    var requiresDevice: Bool {
        switch self {
        case .log, .http: false
        case .apns, .fcm, .rustore, .hms, .relay: true
        }
    }

    var keys: ConfigurationKeys {
        switch self {
        case .log: ConfigurationReader.logNotifierKeys
        case .http: ConfigurationReader.httpKeys
        case .apns: ConfigurationReader.apnsKeys
        case .fcm: ConfigurationReader.fcmKeys
        case .rustore: ConfigurationReader.rustoreKeys
        case .hms: ConfigurationReader.hmsKeys
        case .relay(let helpDesk):
            helpDesk.registry.map { ConfigurationReader.relayKeys(helpDesk, $0) } ?? ConfigurationReader.appRelayKeys(helpDesk)
        }
    }
}
