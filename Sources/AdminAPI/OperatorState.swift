package import Configuration
package import Core
internal import HTTPServer

/// The part of the active configuration that the admin listener uses: an immutable snapshot that a reload replaces.
package final class OperatorState: Sendable {
    package let configuration: Configuration
    /// Computes `user_ref`, and contains the keys for minting.
    let authorizer: Authorizer
    /// The default lifetime of a minted key in seconds; 0 means no expiry.
    let defaultLifetimeSeconds: UInt64
    let tokens: [AdminToken]
    /// Whether `/metrics` also requires a token.
    let metricsNeedToken: Bool
    let page: PageAccess
    let isSecure: Bool
    /// The cookie that contains the id of a session.
    let cookie: SessionCookie
    /// The configuration file without secrets.
    let shown: ShownConfiguration
    let names: KnownNames
    let notifiers: [NamedNotifier]
    /// The notifiers that receive events about removed devices, and the lifetime of these events.
    let registryAudience: RegistryAudience
    let subscriptions: AppSubscriptions

    /// Creates a snapshot. `authorizer` must belong to the same configuration.
    package init(_ configuration: Configuration, authorizer: Authorizer, registryAudience: RegistryAudience) {
        self.configuration = configuration
        self.authorizer = authorizer
        defaultLifetimeSeconds = configuration.defaultLifetimeSeconds
        tokens = configuration.admin.tokens
        metricsNeedToken = configuration.admin.metricsNeedToken || !configuration.admin.isLocal
        page = PageAccess(configuration)
        isSecure = configuration.admin.listener.settings.tls != nil
        cookie = SessionCookie(isSecure: isSecure)
        shown = configuration.shown
        names = KnownNames(configuration)
        notifiers = NamedNotifier.all(configuration)
        self.registryAudience = registryAudience
        subscriptions = AppSubscriptions(configuration)
    }
}

/// The names in a configuration, for the validation of requests.
struct KnownNames: Sendable {
    let apps: [String]
    /// The notifiers, including Deskgate's internal notifier.
    let notifiers: [String]

    init(_ configuration: Configuration) {
        apps = configuration.apps.map(\.id)
        notifiers = configuration.runningNotifiers
    }
}

extension AdminContext {
    /// Returns the error for a filter without matches whose notifier or app is neither configured nor used by any delivery; nil for other
    /// filters. A notifier that was removed from the configuration is valid while it has deliveries.
    func problem(in filter: DeliveryFilter) throws(StoreError) -> AdminAnswer? {
        if let name = filter.notifier, !Self.contains(state.names.notifiers, name) {
            var same = DeliveryFilter()
            same.notifier = name
            if try isUnknown(same) { return .unknownName("notifier", name: name, known: state.names.notifiers) }
        }
        if let name = filter.appID, !Self.contains(state.names.apps, name) {
            var same = DeliveryFilter()
            same.appID = name
            if try isUnknown(same) { return .unknownName("app_id", name: name, known: state.names.apps) }
        }
        return nil
    }

    /// Whether no delivery matches. Also false if a large store was not searched completely.
    private func isUnknown(_ filter: DeliveryFilter) throws(StoreError) -> Bool {
        let page = try store.page(of: filter, after: nil, limit: 1)
        return page.deliveries.isEmpty && page.next == nil
    }

    /// Returns the error for a device filter without matches whose app is neither configured nor has any device; nil for other filters.
    func problem(in filter: DeviceFilter) throws(StoreError) -> AdminAnswer? {
        guard !Self.contains(state.names.apps, filter.appID) else { return nil }
        let others = try store.devices(DeviceFilter(appID: filter.appID, userID: nil, deviceID: nil), after: nil, limit: 1)
        return others.isEmpty ? .unknownName("app_id", name: filter.appID, known: state.names.apps) : nil
    }

    /// Returns the error for a filter without matches whose app is not configured; nil for other filters.
    func problem(in filter: RevocationFilter) -> AdminAnswer? {
        let appID: String? =
            switch filter {
            case .all: nil
            case .app(let appID): appID
            case .person(let person): person.appID
            }
        return appID.flatMap { Self.contains(state.names.apps, $0) ? nil : .unknownApp($0, state.names.apps) }
    }

    func serves(_ notifier: String) -> Bool { Self.contains(state.names.notifiers, notifier) }

    private static func contains(_ names: [String], _ name: String) -> Bool {
        names.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}

extension AdminAnswer {
    /// Returns the error for an unknown name. The name is not repeated, because it may be a misplaced secret.
    fileprivate static func unknownName(_ field: String, name: String, known: [String]) -> AdminAnswer {
        let hint = hint(to: name, known)
        return error(
            400, code: "unknown_name", message: "\(field): nothing of this name is configured, and no delivery or device has it; \(hint)")
    }

    /// Returns the error for an app that is not configured.
    static func unknownApp(_ name: String, _ known: [String]) -> AdminAnswer {
        error(400, code: "unknown_name", message: "app_id: no app of this name is configured; \(hint(to: name, known))")
    }

    private static func hint(to name: String, _ known: [String]) -> String {
        NearestWord.nearest(to: name, in: known).map { "did you mean \"\($0)\"?" }
            ?? "known are: \(known.map { printable($0) }.joined(separator: ", "))."
    }
}
