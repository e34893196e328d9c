internal import AdminAPI
internal import Configuration
internal import Core
internal import POSIX

/// The part of the configuration in force that `OperatorWatch` needs.
struct WatchedConfiguration: Sendable {
    let subscriptions: [Subscription]
    let thresholds: OperatorThresholds
    let notifiers: [Configuration.Notifier]
    let runningNotifiers: [String]
    /// The names of all apps, as in metrics.
    let apps: [String]
    /// The apps with notifiers that get comments only for registered devices.
    let appsForDevices: [String]
    /// The certificates of the listeners, and the expiring last keys of apps.
    let credentials: [ExpiringCredential]
    /// The listeners whose certificate was renewed in its file. Blocks like the disk of the files.
    let renewedCertificates: @Sendable () -> [String]
    let disks: [WatchedDisk]
    /// The life of events in milliseconds.
    let lifetimeMilliseconds: UInt64

    init(_ configuration: Configuration) {
        subscriptions = configuration.operatorSubscriptions
        thresholds = configuration.operators.thresholds
        notifiers = configuration.notifiers
        runningNotifiers = configuration.runningNotifiers
        apps = configuration.apps.map(\.id)
        let audience = AppSubscriptions(configuration)
        appsForDevices = apps.filter { audience.comments($0).contains(where: \.requiresDevice) }
        credentials = configuration.credentials
        renewedCertificates = { configuration.listenersWithRenewedCertificate }
        disks = WatchedDisk.all(configuration.store)
        lifetimeMilliseconds = UInt64(configuration.deliveries.expireAfterSeconds) * 1000
    }

    /// Returns the subscriptions to a condition. A notifier is not informed of its own problems, because that would only lengthen its
    /// queue.
    func subscriptions(for key: OperatorCondition.Key) -> [Subscription] {
        switch key.kind {
        case .notifierPaused, .queueLate: subscriptions.filter { ByteKey($0.notifier) != key.subject }
        case .problem:
            subscriptions.filter { subscription in
                ProblemSearch.notifier(of: key).map { ByteKey($0) != ByteKey(subscription.notifier) } ?? true
            }
        case .credentialExpires, .diskLow, .denialsJump: subscriptions
        }
    }
}

/// A file of the service whose file system's free space is reported.
struct WatchedDisk: Sendable {
    let name: String
    private let path: String

    /// The disks of a store; a database server's disks are not monitored.
    static func all(_ store: Configuration.Store) -> [WatchedDisk] {
        guard case .sqlite(let path) = store.kind else { return [] }
        return [WatchedDisk(name: "store", path: path)]
    }

    /// The free bytes and the size of its file system now; nil when that is unknown. May block like the disk.
    var space: (free: UInt64, size: UInt64)? {
        // The file does not exist before the first start.
        (try? FileSystem.space(at: path)) ?? (try? FileSystem.space(at: Path.directory(of: path)))
    }
}
