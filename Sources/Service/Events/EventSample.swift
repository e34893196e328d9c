internal import AdminAPI
internal import Core
internal import Notifiers
internal import Time

/// One event of each kind, created and encoded like a sent one: the examples of the OpenAPI document and of docs/HTTP.md.
enum EventSample {
    private static let (appID, userID) = ("my-app", "ann")
    /// 2026-03-10T08:15:12Z, the time of all samples.
    private static let now = UnixMilliseconds(rawValue: 1_773_130_512_000)
    private static let life: UInt64 = 86_400_000
    private static let key = Device.Key(appID: appID, userID: userID, deviceID: "phone-1")
    private static let channel: HelpDeskID = "sendbird_desk_101"

    /// The delivery to a receiver; nil for a kind that no configured notifier gets.
    static func delivery(_ kind: Event.Kind) -> Delivery? {
        guard let event = event(kind) else { return nil }
        return Delivery(
            id: event.id.delivery(0), notifier: "backend", event: event, device: device("the-token-that-the-phone-got"), dueAt: now)
    }

    private static func event(_ kind: Event.Kind) -> Event? {
        switch kind {
        case .commentCreated:
            comment(
                kind, "Your parcel is on its way.", ticketID: 4211, commentID: 9001, deviceID: key.deviceID, deviceType: "ios",
                author: Comment.Author(
                    name: "Maria", avatarID: 17, avatarURL: "https://pyrus.com/servicedeskapi/v1/Avatar/17", avatarColor: "#4A90D9"),
                attachments: [Comment.Attachment(id: 55, name: "label.pdf", size: 31_744)])
        case .closureRequested: question(kind, "May the ticket be closed?")
        case .ratingRequested: question(kind, "How did we do?")
        case .pushTokenRegistered: registry(kind, .registered, replacing: device("the-token-that-the-phone-had"))
        case .pushTokenRemoved: registry(kind, .removed(.unsubscribed))
        case .ticketCreated: ticket(kind, status: "PENDING", agent: nil)
        case .ticketAssigned: ticket(kind, [("status", "PENDING"), ("agent", nil)])
        case .ticketTransferred: ticket(kind, [("group", "11")])
        case .ticketClosed:
            ticket(kind, status: "CLOSED", closeStatus: "CLOSED_BY_PLATFORM_API", [("status", "ACTIVE"), ("close_status", "NOT_CLOSED")])
        case .ticketReopened: ticket(kind, [("status", "CLOSED"), ("close_status", "CLOSED_BY_PLATFORM_API")])
        case .ticketUpdated: ticket(kind, [("priority", "LOW")])
        case .closureConfirmed, .closureDeclined: answer(kind)
        case .ticketRated: answer(kind, TicketPayload.Answer.Rating(score: 4, comment: "Fast"))
        case .conversationSeen:
            Event(
                ReadReceipt(
                    AppUser(appID: appID, userID: userID), conversation: 4211, notifiers: [], receivedAt: now),
                ticketID: 4211, id: id(kind), lifetimeMilliseconds: life)
        case .userForgotten:
            Event(forgetting: AppUser(appID: appID, userID: userID), id: id(kind), now: now, lifetimeMilliseconds: life)
        case .operatorTest: Event(OperatorTest(appID: appID, notifier: "backend"), id: id(kind), now: now, lifetimeMilliseconds: life)
        case .notifierPaused: begun(kind, paused)
        case .notifierRecovered: ended(kind, paused)
        case .queueLate: begun(kind, queue)
        case .credentialExpires: begun(kind, certificate)
        case .diskLow: begun(kind, disk)
        case .denialsJump: ended(kind, denials)
        case .problem: begun(kind, OperatorCondition(SevereProblem.example.key, since: now, data: SevereProblem.example.data))
        case .messageHeld, .userSignedOut: nil
        }
    }
}

/// The events, grouped by their common members.
extension EventSample {
    private static func comment(
        _ kind: Event.Kind, _ body: String, ticketID: HelpDeskID, channel: HelpDeskID? = nil, commentID: HelpDeskID, deviceID: String = "",
        deviceType: String? = nil, author: Comment.Author, attachments: [Comment.Attachment] = []
    ) -> Event {
        let comment = Comment(
            appID: appID, userID: userID, ticketID: ticketID, channel: channel, commentID: commentID, deviceID: deviceID,
            deviceType: deviceType, body: body, author: author, createdAt: now, attachments: attachments)
        return Event(comment, id: id(kind), kind: kind, receivedAt: now, lifetimeMilliseconds: life)
    }

    private static func question(_ kind: Event.Kind, _ body: String) -> Event {
        comment(kind, body, ticketID: 101, channel: channel, commentID: 8_000_000_003, author: Comment.Author(name: "Maria"))
    }

    private static func registry(_ kind: Event.Kind, _ change: RegistryChange.Kind, replacing replaced: Device? = nil) -> Event? {
        var generator = SampleGenerator(kind)
        let audience = RegistryAudience([(appID, [Subscription(notifier: "backend")])], lifetimeMilliseconds: life)
        return RegistryChange(change, device("the-token-that-the-phone-got"), replacing: replaced, at: now)
            .incoming(telling: audience, using: &generator)?.event
    }

    private static func ticket(
        _ kind: Event.Kind, status: String = "ACTIVE", closeStatus: String = "NOT_CLOSED", agent: String? = "21",
        _ changes: [(member: StaticString, value: String?)] = []
    ) -> Event {
        let report = TicketPayload.Report(
            ticketID: 101, channel: channel, channelType: "SENDBIRD", status: status, closeStatus: closeStatus, priority: "MEDIUM",
            group: "12", agentID: agent,
            changedFrom: changes)
        return ofTicket(kind, report.data)
    }

    private static func answer(_ kind: Event.Kind, _ rating: TicketPayload.Answer.Rating? = nil) -> Event {
        ofTicket(kind, TicketPayload.Answer(ticketID: 101, channel: channel, commentID: 8_000_000_003, rating: rating).data)
    }

    private static func ofTicket(_ kind: Event.Kind, _ data: [UInt8]) -> Event {
        Event(
            id: id(kind), kind: kind, identity: Event.Identity(appID: appID, ticketID: channel, commentID: nil, deviceID: ""),
            userID: userID, occurredAt: now, receivedAt: now, expiresAt: now + life, data: data)
    }

    private static let paused = condition(
        .notifierPaused, subject: "backend",
        data: OperatorPayload.pausedNotifier(
            "backend", reason: "status_401", explanation: "The receiver answers 401.", remedy: "Give both the same secret.", waiting: 12))

    private static let queue = condition(
        .queueLate, subject: "backend",
        data: OperatorPayload.lateQueue(
            ofNotifier: "backend", waiting: 37, oldestSeconds: 905,
            text: "backend is late. 37 deliveries wait for it, the oldest for 15 minutes.", remedy: "Have its receiver answer faster."))

    private static let denials = condition(
        .denialsJump, subject: appID, data: DenialTrend.Spike(asked: 500, denied: 64, usual: 5).data(app: appID, reason: "wrong_mac"))

    private static var certificate: OperatorCondition {
        let expiring = ExpiringCredential(.listenerCertificate, of: "public", expiresAt: (now + 14 * 86_400_000).seconds)
        return OperatorCondition(expiring.condition, since: now, data: expiring.data)
    }

    private static let disk = condition(
        .diskLow, subject: "store",
        data: OperatorPayload.lowDisk("store", freeBytes: 912_000_000, sizeBytes: 20_000_000_000, thresholdBytes: 1_000_000_000))

    private static func condition(_ kind: OperatorCondition.Kind, subject: String, data: [UInt8]) -> OperatorCondition {
        OperatorCondition(OperatorCondition.Key(kind, subject), since: now, data: data)
    }

    private static func begun(_ kind: Event.Kind, _ condition: OperatorCondition) -> Event {
        condition.begun(id: id(kind), lifetimeMilliseconds: life)
    }

    /// Twenty minutes later.
    private static func ended(_ kind: Event.Kind, _ condition: OperatorCondition) -> Event {
        condition.ended(.resolved, id: id(kind), now: now + 1_200_000, lifetimeMilliseconds: life)
    }

    private static func device(_ token: String) -> Device {
        Device(key: key, type: "ios", token: PushToken(token, digest: []), registeredAt: now, seenAt: now)
    }

    private static func id(_ kind: Event.Kind) -> UUIDv7 {
        var generator = SampleGenerator(kind)
        return UUIDv7(milliseconds: now, using: &generator).event
    }
}

/// A number derived only from an event's type, so that each sample's id is fixed and unique: splitmix64.
private struct SampleGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(_ kind: Event.Kind) {
        state = kind.rawValue.utf8.reduce(0) { $0 &* 31 &+ UInt64($1) }
    }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = (state ^ (state >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}
