internal import Bytes
internal import JSON
package import Time

/// A change of the registry that is reported to other systems in events `push_token.registered` and `push_token.removed`.
package struct RegistryChange: Sendable, Equatable {
    package enum Kind: Sendable, Equatable {
        /// A device has a new token or type.
        case registered
        case removed(Reason)
    }

    package enum Reason: String, Sendable, CaseIterable {
        case unsubscribed
        /// The same token came with another person or device: another user has signed in on that phone.
        case moved
        /// The person has more devices than may be.
        case tooManyDevices = "too_many_devices"
        case idle
        case gone
        case operatorRemoved = "operator"
        /// The person was forgotten. Only relays receive it, so that their help desks drop the token; others receive the event about the
        /// person.
        case forgotten
    }

    package let kind: Kind
    package let device: Device
    /// The device as it was registered before, where its token or type is another one now.
    package let replaced: Device?
    package let at: UnixMilliseconds

    /// Makes a change.
    /// - Parameter replaced: the same device as it was registered before; nil when it was not.
    package init(_ kind: Kind, _ device: Device, replacing replaced: Device? = nil, at: UnixMilliseconds) {
        self.kind = kind
        self.device = device
        self.replaced = replaced
        self.at = at
    }
}

extension RegistryChange {
    /// The data of such an event: the only encoder and decoder.
    package struct Payload: Sendable, Equatable {
        /// A token that a device has, or had.
        package struct Token: Sendable, Equatable {
            /// The type in the app's own words.
            package let type: String
            /// Not empty. As good as a key to a person's phone, so it must not be printed.
            package let text: String

            package init(type: String, text: String) {
                self.type = type
                self.text = text
            }

            /// Whether a device has it now.
            /// - Parameter device: its registration; nil if it has none.
            package func isHeld(by device: Device?) -> Bool {
                guard let device else { return false }
                return text.hasSameBytes(as: device.token.text) && type.hasSameBytes(as: device.type)
            }
        }

        /// Not empty.
        package let deviceID: String
        package let token: Token
        /// The token that the device had before, where it has another one now.
        package let replaced: Token?
        /// nil when the token was registered.
        package let reason: Reason?
        package let isRemoval: Bool

        init(_ change: RegistryChange) {
            deviceID = change.device.key.deviceID
            token = Token(type: change.device.type, text: change.device.token.text)
            replaced = change.replaced.map { Token(type: $0.type, text: $0.token.text) }
            reason = if case .removed(let reason) = change.kind { reason } else { nil }
            isRemoval = change.kind != .registered
        }

        /// Reads the data of an event; nil when the event is of another kind, or its data is gone or of another form. An unknown reason is
        /// skipped.
        package init?(_ event: Event) {
            guard event.kind == .pushTokenRegistered || event.kind == .pushTokenRemoved, let data = JSONValue(parsing: event.data),
                let deviceID = data["device_id"]?.text, let token = Self.token(data), !deviceID.isEmpty
            else { return nil }
            (self.deviceID, self.token, replaced) = (deviceID, token, data["replaces"].flatMap(Self.token))
            reason = data["reason"]?.text.flatMap { Reason(rawValue: $0) }
            isRemoval = event.kind == .pushTokenRemoved
        }

        /// Whether the registry still agrees: a registration holds while the device has its token and type, a removal while the device is
        /// not registered. Otherwise a later event reports the later change.
        /// - Parameter device: its current registration; nil if it has none.
        package func holds(for device: Device?) -> Bool {
            isRemoval ? device == nil : token.isHeld(by: device)
        }

        private static func token(_ object: JSONValue) -> Token? {
            guard let type = object["type"]?.text, let text = object["token"]?.text, !text.isEmpty else { return nil }
            // An event that an earlier version has stored may have another form.
            return Token(type: type, text: PushToken.form(of: text))
        }

        /// The text of a JSON object.
        package var data: [UInt8] {
            var members: [(String, JSONValue)] = [
                ("device_id", .string(deviceID)), ("type", .string(token.type)), ("token", .string(token.text)),
            ]
            if let replaced { members.append(("replaces", ["type": .string(replaced.type), "token": .string(replaced.text)])) }
            if let reason { members.append(("reason", .string(reason.rawValue))) }
            return JSONValue.object(JSONObject(members)).serialized()
        }
    }

    /// Returns the event of the change with its subscriptions; nil without subscriptions, as in most apps.
    /// - Parameter generator: makes the event's id, together with the change's time.
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

/// The subscriptions to changes of the registry. Callers of a store's method that may change the registry pass it, so that the store needs
/// no configuration. Copying it copies a few words.
package struct RegistryAudience: Sendable {
    package static let nobody = RegistryAudience([], lifetimeMilliseconds: 0)

    private let byApp: [ByteKey: [Subscription]]
    private let relayNames: Set<ByteKey>
    private let sessions: SessionAudience
    /// Milliseconds after a change when its event expires.
    package let lifetimeMilliseconds: UInt64
    /// The request that causes the changes; nil when none does.
    package private(set) var trace: TraceContext?

    /// The same audience for changes that a request causes.
    package func caused(by trace: TraceContext?) -> RegistryAudience {
        var audience = self
        audience.trace = trace
        return audience
    }

    /// - Parameters:
    ///   - apps: each app once.
    ///   - relays: the names of notifiers that pass registrations on to a help desk.
    ///   - sessions: the notifiers that end people's sessions.
    package init(
        _ apps: [(appID: String, subscriptions: [Subscription])], relays: [String] = [], sessions: SessionAudience = SessionAudience([]),
        lifetimeMilliseconds: UInt64
    ) {
        self.sessions = sessions
        relayNames = Set(relays.map { ByteKey($0) })
        byApp = Dictionary(apps.map { (ByteKey($0.appID), $0.subscriptions) }) { first, _ in first }
        self.lifetimeMilliseconds = lifetimeMilliseconds
    }

    /// Returns the subscriptions to an app's changes; none when the app is unknown.
    package func subscriptions(of appID: String) -> [Subscription] {
        byApp[ByteKey(appID)] ?? []
    }

    /// Returns the app's relays to a help desk.
    package func relays(of appID: String) -> [Subscription] {
        subscriptions(of: appID).filter { relayNames.contains(ByteKey($0.notifier)) }
    }

    /// Returns the app's subscriptions to erasures: all but the relays, and the notifiers that end people's sessions.
    package func listeners(of appID: String) -> [Subscription] {
        subscriptions(of: appID).filter { !relayNames.contains(ByteKey($0.notifier)) } + sessions.subscriptions(of: appID)
    }

    /// The event by which a person's sessions end at the help desk, on its way to those who end them; nil when the app has no sessions.
    /// - Parameters:
    ///   - isErased: whether the person leaves the event with its end, as one who was forgotten must.
    ///   - generator: makes the event's id.
    package func signOut(
        _ person: RevokedPerson, at now: UnixMilliseconds, isErased: Bool = false, using generator: inout some RandomNumberGenerator
    ) -> IncomingEvent? {
        let subscriptions = sessions.subscriptions(of: person.appID)
        guard !subscriptions.isEmpty else { return nil }
        let event = Event(
            signingOut: person, id: UUIDv7(milliseconds: now, using: &generator).event, now: now,
            lifetimeMilliseconds: max(lifetimeMilliseconds, sessions.lifetimeMilliseconds))
        return IncomingEvent(event, to: subscriptions, isErased: isErased)
    }
}

/// The notifiers that end a help desk's sessions of people whose keys were revoked.
package struct SessionAudience: Sendable {
    private let byApp: [ByteKey: [Subscription]]
    /// The life of the longest session in milliseconds.
    package let lifetimeMilliseconds: UInt64

    /// - Parameter apps: each app once.
    package init(_ apps: [(appID: String, subscriptions: [Subscription])], lifetimeMilliseconds: UInt64 = 0) {
        byApp = Dictionary(apps.map { (ByteKey($0.appID), $0.subscriptions) }) { first, _ in first }
        self.lifetimeMilliseconds = lifetimeMilliseconds
    }

    /// Returns an app's subscriptions; none when it has no sessions.
    package func subscriptions(of appID: String) -> [Subscription] { byApp[ByteKey(appID)] ?? [] }
}
