import Core

/// An event for tests; what is not named is the same in all of them, and the number makes it different from others.
struct Sample {
    var number: Int
    var app = "app"
    var ticket: Int64 = 1
    var comment: Int64?
    var device = ""
    var user = "user"
    var notifier = "log"
    var received: UInt64 = 1000
    var due: UInt64?
    var expires: UInt64 = 1_000_000
    var payload = Array("{}".utf8)

    init(_ number: Int) {
        self.number = number
    }

    /// Changes some of it.
    func with(_ change: (inout Sample) -> Void) -> Sample {
        var copy = self
        change(&copy)
        return copy
    }

    var event: Event {
        Event(
            id: UUIDv7(milliseconds: 1, number: number), kind: .commentCreated,
            identity: Event.Identity(appID: app, ticketID: ticket, commentID: comment ?? Int64(number), deviceID: device), userID: user,
            occurredAt: received - 1, receivedAt: received, expiresAt: expires, payload: payload)
    }

    /// A delivery of the event, due when it is received unless something else is said.
    /// - Parameter position: which of several.
    func delivery(_ position: Int = 0, to notifier: String? = nil) -> Delivery {
        Delivery(
            id: UUIDv7(milliseconds: 2, number: number * 10 + position), notifier: notifier ?? self.notifier, event: event,
            dueAt: due ?? received)
    }
}

extension UUIDv7 {
    /// One that a number makes.
    init(milliseconds: UInt64, number: Int) {
        var random = InlineArray<10, UInt8>(repeating: 0)
        for index in 2..<10 { random[index] = UInt8(truncatingIfNeeded: number >> (8 * (9 - index))) }
        self.init(milliseconds: milliseconds, random: random)
    }
}
