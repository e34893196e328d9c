internal import Bytes
internal import JSON
package import Time

/// A change of the registry that is reported in an event `push_token.registered` or `push_token.removed`.
package struct RegistryChange: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        case registered
        case removed(Reason)
    }

    /// The reason why a token was removed.
    package enum Reason: String, Sendable, CaseIterable {
        case unsubscribed
        /// Another user or device registered the same token: another user has signed in on that phone.
        case moved
        /// The user has more devices than allowed.
        case tooManyDevices = "too_many_devices"
        case idle
        /// The provider no longer knows the token.
        case gone
        case operatorRemoved = "operator"
        /// The user was forgotten. Only relays receive this, so that their help desks delete the token; others receive `user.forgotten`.
        case forgotten
    }

    package let kind: Kind
    /// The device after a registration, or before a removal.
    package let device: Device
    /// The previous state of the device, if its token or type has changed; nil otherwise.
    package let replaced: Device?
    package let at: UnixMilliseconds

    package init(_ kind: Kind, _ device: Device, replacing replaced: Device? = nil, at: UnixMilliseconds) {
        self.kind = kind
        self.device = device
        self.replaced = replaced
        self.at = at
    }
}

extension RegistryChange {
    /// The data of such an event, for encoding and decoding.
    package struct Payload: Sendable, Equatable {
        package struct Token: Sendable, Equatable {
            package let type: String
            /// Not empty. It is a credential for sending to the device, so it must not be printed.
            package let text: String

            package init(type: String, text: String) {
                self.type = type
                self.text = text
            }

            /// Whether a device has this token now.
            /// - Parameter device: nil when it is not registered.
            package func isHeld(by device: Device?) -> Bool {
                guard let device else { return false }
                return text.hasSameBytes(as: device.token.text) && type.hasSameBytes(as: device.type)
            }
        }

        /// Not empty.
        package let deviceID: String
        package let token: Token
        /// The previous token of the device, if the device now has another one.
        package let replaced: Token?
        /// Nil when the device was registered, or when this version does not know the reason.
        package let reason: Reason?
        package let isRemoval: Bool

        init(_ change: RegistryChange) {
            deviceID = change.device.key.deviceID
            token = Token(type: change.device.type, text: change.device.token.text)
            replaced = change.replaced.map { Token(type: $0.type, text: $0.token.text) }
            reason = if case .removed(let reason) = change.kind { reason } else { nil }
            isRemoval = change.kind != .registered
        }

        /// Parses an event; nil for another kind, and when the data is missing or malformed. An unknown reason is ignored.
        package init?(_ event: Event) {
            guard event.kind == .pushTokenRegistered || event.kind == .pushTokenRemoved, let data = JSONValue(parsing: event.data),
                let deviceID = data["device_id"]?.text, let token = Self.token(data), !deviceID.isEmpty
            else { return nil }
            (self.deviceID, self.token, replaced) = (deviceID, token, data["replaces"].flatMap(Self.token))
            reason = data["reason"]?.text.flatMap { Reason(rawValue: $0) }
            isRemoval = event.kind == .pushTokenRemoved
        }

        /// Whether the registry still matches: after a registration the device has this token and type, after a removal it is not
        /// registered. If not, a later event reports the later change.
        /// - Parameter device: the device as registered now; nil when it is not.
        package func holds(for device: Device?) -> Bool {
            isRemoval ? device == nil : token.isHeld(by: device)
        }

        private static func token(_ object: JSONValue) -> Token? {
            guard let type = object["type"]?.text, let text = object["token"]?.text, !text.isEmpty else { return nil }
            // The event may have another form, because an earlier version may have stored it.
            return Token(type: type, text: PushToken.form(of: text))
        }

        package var data: [UInt8] {
            var members: [(String, JSONValue)] = [
                ("device_id", .string(deviceID)), ("type", .string(token.type)), ("token", .string(token.text)),
            ]
            if let replaced { members.append(("replaces", ["type": .string(replaced.type), "token": .string(replaced.text)])) }
            if let reason { members.append(("reason", .string(reason.rawValue))) }
            return JSONValue.object(JSONObject(members)).serialized()
        }
    }

    /// Makes the event that reports the change; nil when no notifier receives it, as in most apps.
    /// - Parameter generator: source of the random part of the event's id.
    package func incoming(
        telling audience: RegistryAudience, using generator: inout some RandomNumberGenerator
    ) -> IncomingEvent? {
        let key = device.key
        let isErased = kind == .removed(.forgotten)
        let subscriptions = isErased ? audience.relays(of: key.appID) : audience.subscriptions(of: key.appID)
        guard !subscriptions.isEmpty else { return nil }
        let event = Event(
            id: UUIDv7(milliseconds: at, using: &generator).event,
            kind: kind == .registered ? .pushTokenRegistered : .pushTokenRemoved,
            identity: Event.Identity(appID: key.appID, ticketID: nil, commentID: nil, deviceID: key.deviceID), userID: key.userID,
            deviceType: device.type, occurredAt: at, receivedAt: at, expiresAt: at + audience.lifetimeMilliseconds,
            data: Payload(self).data,
            trace: audience.trace)
        return IncomingEvent(event, to: subscriptions, isErased: isErased)
    }
}

/// The notifiers that receive registry changes, from the current configuration. The caller passes it to each method of the store that may
/// change the registry, so that the store needs no configuration. A copy costs a few words.
package struct RegistryAudience: Sendable {
    package static let nobody = RegistryAudience([], lifetimeMilliseconds: 0)

    private let byApp: [ByteKey: [Subscription]]
    private let relayNames: Set<ByteKey>
    private let sessions: SessionAudience
    /// The lifetime of an event in milliseconds, from the change on.
    package let lifetimeMilliseconds: UInt64
    /// The trace of the request that causes the changes; nil when no request does.
    package private(set) var trace: TraceContext?

    package func caused(by trace: TraceContext?) -> RegistryAudience {
        var audience = self
        audience.trace = trace
        return audience
    }

    /// Each app must occur once.
    /// - Parameters:
    ///   - relays: names of the notifiers that pass registrations on to a help desk.
    ///   - sessions: the notifiers that end users' sessions.
    package init(
        _ apps: [(appID: String, subscriptions: [Subscription])], relays: [String] = [], sessions: SessionAudience = SessionAudience([]),
        lifetimeMilliseconds: UInt64
    ) {
        self.sessions = sessions
        relayNames = Set(relays.map { ByteKey($0) })
        byApp = Dictionary(apps.map { (ByteKey($0.appID), $0.subscriptions) }) { first, _ in first }
        self.lifetimeMilliseconds = lifetimeMilliseconds
    }

    package func subscriptions(of appID: String) -> [Subscription] {
        byApp[ByteKey(appID)] ?? []
    }

    /// The app's notifiers that pass registrations on to a help desk.
    package func relays(of appID: String) -> [Subscription] {
        subscriptions(of: appID).filter { relayNames.contains(ByteKey($0.notifier)) }
    }

    /// The app's notifiers that receive `user.forgotten`: all except the relays and the notifiers that end sessions.
    package func listeners(of appID: String) -> [Subscription] {
        subscriptions(of: appID).filter { !relayNames.contains(ByteKey($0.notifier)) } + sessions.subscriptions(of: appID)
    }

    /// Makes the event that ends a user's sessions at the help desk; nil when the app has no sessions.
    /// - Parameters:
    ///   - isErased: whether the user is removed from the event once it has ended, as required after an erasure.
    ///   - generator: source of the random part of the event's id.
    package func signOut(
        _ person: AppUser, at now: UnixMilliseconds, isErased: Bool = false, using generator: inout some RandomNumberGenerator
    ) -> IncomingEvent? {
        let subscriptions = sessions.subscriptions(of: person.appID)
        guard !subscriptions.isEmpty else { return nil }
        let event = Event(
            signingOut: person, id: UUIDv7(milliseconds: now, using: &generator).event, now: now,
            lifetimeMilliseconds: max(lifetimeMilliseconds, sessions.lifetimeMilliseconds))
        return IncomingEvent(event, to: subscriptions, isErased: isErased)
    }
}

/// The notifiers that end sessions at a help desk for users whose keys were revoked.
package struct SessionAudience: Sendable {
    private let byApp: [ByteKey: [Subscription]]
    /// The maximum lifetime of a session in milliseconds.
    package let lifetimeMilliseconds: UInt64

    /// Each app must occur once.
    package init(_ apps: [(appID: String, subscriptions: [Subscription])], lifetimeMilliseconds: UInt64 = 0) {
        byApp = Dictionary(apps.map { (ByteKey($0.appID), $0.subscriptions) }) { first, _ in first }
        self.lifetimeMilliseconds = lifetimeMilliseconds
    }

    package func subscriptions(of appID: String) -> [Subscription] { byApp[ByteKey(appID)] ?? [] }
}
