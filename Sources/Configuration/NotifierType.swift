/// What a notifier does; the raw values are those of the configuration.
package enum NotifierType: String, Sendable, CaseIterable {
    /// Writes lines to the log.
    case log
    /// Posts events, signed.
    case http
    /// Apple Push Notification service.
    case apns
    /// Firebase Cloud Messaging.
    case fcm
    /// RuStore's push notifications.
    case rustore
    /// Huawei Push Kit.
    case hms
    /// Passes registrations on to the help desk.
    case pyrus

    /// Whether it makes phones show something.
    package var isPush: Bool {
        switch self {
        case .apns, .fcm, .rustore, .hms: true
        case .log, .http, .pyrus: false
        }
    }

    /// Whether it needs a device by default to be told of a comment: a phone to notify, or one to register. Others hear of every comment, because
    /// the help desk's own registrations may be all that there is.
    var requiresDevice: Bool {
        switch self {
        case .log, .http: false
        case .apns, .fcm, .rustore, .hms, .pyrus: true
        }
    }

    /// The keys of its object in the configuration.
    var keys: [String] {
        switch self {
        case .log: ConfigurationKeys.logNotifier
        case .http: ConfigurationKeys.httpNotifier
        case .apns: ConfigurationKeys.apnsNotifier
        case .fcm: ConfigurationKeys.fcmNotifier
        case .rustore: ConfigurationKeys.rustoreNotifier
        case .hms: ConfigurationKeys.hmsNotifier
        case .pyrus: ConfigurationKeys.pyrusNotifier
        }
    }
}
