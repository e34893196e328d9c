package import Core
internal import Notifiers

/// The subscriptions of each app's notifiers: an immutable snapshot.
package struct AppSubscriptions: Sendable {
    private let comments: [ByteKey: [Subscription]]
    private let quietComments: [ByteKey: [Subscription]]
    private let tickets: [ByteKey: [Subscription]]
    private let seen: [ByteKey: [Subscription]]
    private let pushTypes: [String: NotifierType]
    private let channelApps: Set<ByteKey>
    /// Names of notifiers that post events to servers, which may in turn notify phones.
    private let posting: Set<String>
    package let registry: RegistryAudience

    package init(_ configuration: Configuration) {
        let known = Dictionary(configuration.notifiers.map { ($0.name, $0) }) { first, _ in first }
        var comments: [ByteKey: [Subscription]] = [:]
        var quietComments: [ByteKey: [Subscription]] = [:]
        var tickets: [ByteKey: [Subscription]] = [:]
        var seen: [ByteKey: [Subscription]] = [:]
        let pushTypes = known.mapValues(\.type).filter(\.value.isPush)
        var registry: [(appID: String, subscriptions: [Subscription])] = []
        var sessions: [(appID: String, subscriptions: [Subscription])] = []
        for app in configuration.apps {
            let notifiers = app.notifiers.compactMap { known[$0] }
            let byDeviceType = app.routes.notifiers.compactMap { name in known[name]?.subscription(for: app.routes.types(of: name)) }
            let all = notifiers.filter { !$0.type.isRelay }.map { $0.subscription(for: .all) } + byDeviceType
            comments[ByteKey(app.id)] = all
            quietComments[ByteKey(app.id)] = all.filter { pushTypes[$0.notifier] == nil }
            let reported = notifiers.filter { !$0.type.isPush && (app.relaysRegistrations || !$0.type.isRelay) }
            let changes = reported.filter { !$0.type.isRelay }.map { $0.subscription(for: .all) }
            tickets[ByteKey(app.id)] = changes
            let withdrawing = all.filter { known[$0.notifier]?.withdraws == true }
            seen[ByteKey(app.id)] =
                changes
                + withdrawing.map {
                    Subscription(
                        notifier: $0.notifier, deviceTypes: $0.deviceTypes, requiresDevice: $0.requiresDevice, isForEachDevice: true)
                }
            registry.append((app.id, reported.map { Subscription(notifier: $0.name, keepsOrder: $0.keepsOrder) }))
            if app.sessionLifetimeSeconds != nil {
                // These deliveries are not ordered: the end of a session must not wait until an earlier registration has been relayed.
                sessions.append((app.id, notifiers.filter(\.type.isRelay).map { Subscription(notifier: $0.name) }))
            }
        }
        channelApps = Set(configuration.apps.filter(\.helpDesk.namesTicketsByChannel).map { ByteKey($0.id) })
        self.comments = comments
        self.quietComments = quietComments
        self.tickets = tickets
        self.seen = seen
        self.pushTypes = pushTypes
        posting = Set(known.values.filter { $0.type == .http }.map(\.name))
        let relays = configuration.notifiers.filter(\.type.isRelay).map(\.name)
        self.registry = RegistryAudience(
            registry, relays: relays,
            sessions: SessionAudience(
                sessions, lifetimeMilliseconds: (configuration.apps.compactMap(\.sessionLifetimeSeconds).max() ?? 0) * 1000),
            lifetimeMilliseconds: UInt64(configuration.deliveries.expireAfterSeconds) * 1000)
    }

    package func comments(_ appID: String) -> [Subscription] {
        comments[ByteKey(appID)] ?? []
    }

    /// Returns the subscriptions for a comment that must not be shown on phones.
    package func quietComments(_ appID: String) -> [Subscription] {
        quietComments[ByteKey(appID)] ?? []
    }

    /// The notifiers of an app's comments for devices of a type: push notifiers, and notifiers that post events to servers, which may
    /// notify phones.
    package func serving(_ appID: String, deviceType: String) -> (push: [String], posts: [String]) {
        let names = comments(appID).filter { $0.deviceTypes.contains(deviceType) }.map(\.notifier)
        return (names.filter { pushTypes[$0] != nil }, names.filter(posting.contains))
    }

    /// The push notifiers of an app.
    package func pushNotifiers(_ appID: String) -> [String] {
        var names: [String] = []
        for name in comments(appID).map(\.notifier) where pushTypes[name] != nil && !names.contains(name) { names.append(name) }
        return names
    }

    package func nameTicketsByChannel(_ appID: String) -> Bool { channelApps.contains(ByteKey(appID)) }

    /// Whether an app notifies phones, but no notifier of the app serves devices of this type.
    package func leaveOut(_ appID: String, deviceType: String) -> Bool {
        guard comments(appID).contains(where: { pushTypes[$0.notifier] != nil || posting.contains($0.notifier) }) else { return false }
        let serving = serving(appID, deviceType: deviceType)
        return serving.push.isEmpty && serving.posts.isEmpty
    }

    /// Whether APNs is the only provider for an app's devices of a type, so that their tokens are hexadecimal.
    package func useAPNsAlone(_ appID: String, deviceType: String) -> Bool {
        let types = comments(appID).filter { $0.deviceTypes.contains(deviceType) }.compactMap { pushTypes[$0.notifier] }
        return !types.isEmpty && types.allSatisfy { $0 == .apns }
    }

    /// Returns the subscriptions to changes of an app's tickets. Push notifiers are not included.
    package func tickets(_ appID: String) -> [Subscription] {
        tickets[ByteKey(appID)] ?? []
    }

    /// Returns the subscriptions to reads: the subscriptions of `tickets`, and the notifiers that withdraw notifications.
    package func seen(_ appID: String) -> [Subscription] {
        seen[ByteKey(appID)] ?? []
    }
}

extension Configuration {
    package var operatorSubscriptions: [Subscription] {
        operators.notifiers.compactMap { name in
            notifiers.first { $0.name.utf8.elementsEqual(name.utf8) }.map { Subscription(notifier: name, keepsOrder: $0.keepsOrder) }
        }
    }
}

extension Configuration.Notifier {
    /// Whether deliveries about one ticket or one person are made in order.
    fileprivate var keepsOrder: Bool {
        switch kind {
        case .log, .push: false
        case .relay(let relay): relay.helpDesk.relaysInOrder
        case .http(let destination): destination.preservesTicketOrder
        }
    }

    fileprivate func subscription(for types: DeviceTypes) -> Subscription {
        Subscription(notifier: name, deviceTypes: types, requiresDevice: requiresDevice, keepsOrder: keepsOrder)
    }
}

extension Configuration.Routes {
    /// The device types that a notifier serves.
    fileprivate func types(of notifier: String) -> DeviceTypes {
        let (own, foreign) = (byType.filter { $0.notifier == notifier }, byType.filter { $0.notifier != notifier })
        return others == notifier ? .except(foreign.map(\.type)) : .only(own.map(\.type))
    }
}
