import Core
import Storage
import Threading

/// Makes events of the registry's changes, numbered in their order, for a notifier `registry`.
///
/// The id says what changed, so that two stores that do the same make the same events.
struct Announcements {
    private let count = Monitor(0)

    var announcer: RegistryAnnouncer {
        { [count] change in
            let number = count.withLock { count in
                count += 1
                return count
            }
            let kind: Event.Kind = change.kind == .registered ? .pushTokenRegistered : .pushTokenRemoved
            let key = change.device.key
            let event = Event(
                id: UUIDv7(milliseconds: 9, number: number << 16), kind: kind,
                identity: Event.Identity(appID: key.appID, ticketID: nil, commentID: nil, deviceID: key.deviceID), userID: key.userID,
                occurredAt: change.at, receivedAt: change.at, expiresAt: change.at + 100_000,
                data: Array(Self.text(change).utf8))
            return Arrival(event, to: [Subscription(notifier: "registry", keepsOrder: true)])
        }
    }

    /// The change as it stands in the event's data: what, who, which device, its token.
    static func text(_ change: RegistryChange) -> String {
        let word = if case .removed(let reason) = change.kind { reason.rawValue } else { "registered" }
        return "\(word) \(change.device.key.userID) \(change.device.key.deviceID) \(change.device.token.text)"
    }
}
