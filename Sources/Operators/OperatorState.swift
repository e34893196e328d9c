package import Configuration
package import Core
internal import Crypto

/// What the admin listener needs of the configuration in force: an immutable snapshot, which a reload replaces.
package final class OperatorState: Sendable {
    /// Names people as the log does, and mints.
    let authorizer: Authorizer
    /// How long a minted key lives when nobody says, in seconds; 0 for ever.
    let defaultLifeSeconds: UInt64
    /// What callers must show; nil when none is configured.
    let token: SecretBytes?
    /// Whether `/metrics` needs the token as well.
    let metricsNeedToken: Bool
    /// The names that questions may name.
    let names: KnownNames
    /// Who is told of devices that are removed, and how long an event is delivered after its arrival.
    let registryAudience: RegistryAudience

    /// Takes the snapshot of a configuration, whose apps `authorizer` has.
    package init(_ configuration: Configuration, authorizer: Authorizer, registryAudience: RegistryAudience) {
        self.authorizer = authorizer
        defaultLifeSeconds = configuration.defaultLifeSeconds
        token = configuration.admin.token
        metricsNeedToken = configuration.admin.metricsNeedToken || !configuration.admin.isLocal
        names = KnownNames(configuration)
        self.registryAudience = registryAudience
    }
}

/// The names that a configuration knows, for questions that name one.
struct KnownNames: Sendable {
    let apps: [String]
    let notifiers: [String]

    init(_ configuration: Configuration) {
        apps = configuration.apps.map(\.id)
        notifiers = configuration.notifiers.map(\.name)
    }
}

extension AdminContext {
    /// What is wrong with a filter that finds nothing: it names a notifier or an app that is neither configured nor in any delivery. One that has left the
    /// configuration can be asked for as long as it has deliveries.
    func problem(in filter: DeliveryFilter) throws(StoreError) -> AdminAnswer? {
        if let name = filter.notifier, !Self.contains(state.names.notifiers, name) {
            var same = DeliveryFilter()
            same.notifier = name
            if try store.deliveries(same, limit: 1).isEmpty { return .unknownName("notifier", name, state.names.notifiers) }
        }
        if let name = filter.appID, !Self.contains(state.names.apps, name) {
            var same = DeliveryFilter()
            same.appID = name
            if try store.deliveries(same, limit: 1).isEmpty { return .unknownName("app_id", name, state.names.apps) }
        }
        return nil
    }

    /// What is wrong with a filter of devices that finds nothing: its app is neither configured nor has it any device.
    func problem(in filter: DeviceFilter) throws(StoreError) -> AdminAnswer? {
        guard !Self.contains(state.names.apps, filter.appID) else { return nil }
        let others = try store.devices(DeviceFilter(appID: filter.appID, userID: nil, deviceID: nil), after: nil, limit: 1)
        return others.isEmpty ? .unknownName("app_id", filter.appID, state.names.apps) : nil
    }

    /// Whether a notifier is configured.
    func serves(_ notifier: String) -> Bool { Self.contains(state.names.notifiers, notifier) }

    private static func contains(_ names: [String], _ name: String) -> Bool {
        names.contains { $0.utf8.elementsEqual(name.utf8) }
    }
}

extension AdminAnswer {
    /// The name itself is not repeated: it may be a secret in the wrong place.
    fileprivate static func unknownName(_ field: String, _ name: String, _ known: [String]) -> AdminAnswer {
        let hint =
            NearestWord.nearest(to: name, in: known).map { "did you mean \"\($0)\"?" }
            ?? "known are: \(known.map { printable($0) }.joined(separator: ", "))."
        return error(400, "unknown_name", "\(field): nothing of this name is configured, and no delivery or device has it; \(hint)")
    }
}
