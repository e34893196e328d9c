internal import Core

/// How the events of each app reach their notifiers: an immutable snapshot.
struct AppRoutes: Sendable {
    private let apps: [[UInt8]: App]

    private struct App {
        let comments: [DeliveryRoute]
        let registrations: [DeliveryRoute]
    }

    init(_ configuration: Configuration) {
        let kinds = Dictionary(configuration.notifiers.map { ($0.name, $0) }) { first, _ in first }
        var apps: [[UInt8]: App] = [:]
        for app in configuration.apps {
            let notifiers = app.notifiers.compactMap { kinds[$0] }
            apps[Array(app.id.utf8)] = App(
                comments: notifiers.map { $0.route(for: .all) },
                registrations: notifiers.map { DeliveryRoute(notifier: $0.name, keepsOrder: $0.keepsOrder) })
        }
        self.apps = apps
    }

    /// Whom a comment of an app goes to.
    func comments(_ appID: String) -> [DeliveryRoute] {
        apps[Array(appID.utf8)]?.comments ?? []
    }

    /// Who is told of an app's registrations.
    func registrations(_ appID: String) -> [DeliveryRoute] {
        apps[Array(appID.utf8)]?.registrations ?? []
    }
}

extension Configuration.Notifier {
    /// Whether its deliveries about one ticket, or one person, wait for each other.
    fileprivate var keepsOrder: Bool {
        switch kind {
        case .log: false
        case .http(let destination): destination.keepsTicketOrder
        }
    }

    fileprivate func route(for types: DeviceTypes) -> DeliveryRoute {
        DeliveryRoute(notifier: name, deviceTypes: types, requiresDevice: requiresDevice, keepsOrder: keepsOrder)
    }
}
