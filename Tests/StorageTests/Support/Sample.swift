import Core
import Time

/// An event for tests. The parameters without an argument are equal in all events; the number makes the event unique.
struct Sample {
    var number: Int
    var kind = Event.Kind.commentCreated
    var app = "app"
    var ticket: HelpDeskID = 1
    var comment: HelpDeskID?
    var device = ""
    var user = "user"
    var notifier = "log"
    var received: UnixMilliseconds = 1000
    var expires: UnixMilliseconds = 1_000_000
    var keepsOrder = false
    var deviceType: String?
    var requiresDevice = false
    var deviceTypes = DeviceTypes.all
    var token: PushToken?
    var data = Array("{}".utf8)
    var trace: TraceContext?

    init(_ number: Int) {
        self.number = number
    }

    func with(_ change: (inout Sample) -> Void) -> Sample {
        var copy = self
        change(&copy)
        return copy
    }

    var event: Event {
        Event(
            id: UUIDv7(milliseconds: 1, number: number << 16), kind: kind,
            identity: Event.Identity(appID: app, ticketID: ticket, commentID: comment ?? HelpDeskID(Int64(number)), deviceID: device),
            userID: user,
            deviceType: deviceType, occurredAt: received - 1, receivedAt: received, expiresAt: expires, data: data, trace: trace)
    }

    /// The event for its notifier or for these notifiers.
    func incoming(to notifiers: [String]? = nil) -> IncomingEvent {
        IncomingEvent(
            event,
            to: (notifiers ?? [notifier]).map {
                Subscription(notifier: $0, deviceTypes: deviceTypes, requiresDevice: requiresDevice, keepsOrder: keepsOrder)
            }, token: token)
    }

    /// The stored delivery of the event.
    /// - Parameter position: the index among several deliveries.
    func delivery(_ position: Int = 0, to notifier: String? = nil) -> Delivery {
        Delivery(id: event.id.delivery(position), notifier: notifier ?? self.notifier, event: event, dueAt: received)
    }
}

extension UUIDv7 {
    /// An id derived from a number.
    init(milliseconds: UnixMilliseconds, number: Int) {
        var random = InlineArray<10, UInt8>(repeating: 0)
        for index in 2..<10 { random[index] = UInt8(truncatingIfNeeded: number >> (8 * (9 - index))) }
        self.init(milliseconds: milliseconds, random: random)
    }
}
