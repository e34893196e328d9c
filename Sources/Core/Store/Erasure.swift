package import Time

/// The operator's action that ended pending deliveries; the raw value is shown in metrics.
package enum GivenUpReason: String, Sendable, CaseIterable {
    case purged
    case forgotten
}

/// The rows that the erasure of a person removed.
package struct Erasure: Sendable, Equatable {
    package struct Deliveries: Sendable, Equatable {
        package let notifier: String
        package let count: Int

        package init(notifier: String, count: Int) {
            self.notifier = notifier
            self.count = count
        }

        /// The counts in the order of the notifiers' names.
        package static func list(_ counts: [ByteKey: Int]) -> [Deliveries] {
            counts.sorted { $0.key < $1.key }.map { Deliveries(notifier: $0.key.text, count: $0.value) }
        }
    }

    package var devices = 0
    package var events = 0
    package var deliveries = 0
    /// The number of them that were pending, by notifier.
    package var pending: [ByteKey: Int] = [:]
    package var botCalls = 0

    package init() {}

    package mutating func add(_ other: Erasure) {
        devices += other.devices
        events += other.events
        deliveries += other.deliveries
        botCalls += other.botCalls
        pending.merge(other.pending, uniquingKeysWith: +)
    }
}

/// The texts by which a person is searched for after the erasure.
package struct PersonTraces: Sendable, Equatable {
    /// The minimum length, in bytes of UTF-8, of texts that files are searched for: a shorter one occurs in any file by chance.
    package static let shortestText = 8

    package let person: RevokedPerson
    /// The ids of the devices and the push tokens that the person had.
    package let others: [String]

    package init(_ person: RevokedPerson, others: [String] = []) {
        self.person = person
        self.others = others
    }

    package var texts: [String] { ([person.userID] + others).filter { $0.utf8.count >= Self.shortestText } }
    /// The number of texts that are too short for the search.
    package var tooShort: Int { others.count + 1 - texts.count }
}

/// The remaining data of a person whom the store should have forgotten.
package struct ErasureProof: Sendable, Equatable {
    /// A table with rows that name the person.
    package struct Table: Sendable, Equatable {
        package let name: String
        package let rows: Int

        package init(name: String, rows: Int) {
            self.name = name
            self.rows = rows
        }
    }

    /// The result of searching the store's files byte by byte.
    package struct Files: Sendable, Equatable {
        /// The files' names, without folders.
        package let names: [String]
        package let bytes: UInt64
        /// The number of occurrences of the texts, also as parts of longer texts.
        package let occurrences: Int

        package init(names: [String], bytes: UInt64, occurrences: Int) {
            self.names = names
            self.bytes = bytes
            self.occurrences = occurrences
        }
    }

    /// The state of the write-ahead log, from which SQLite's file gets its changes.
    package enum Log: Sendable {
        case emptied
        /// Somebody reads it, so it cannot be emptied now.
        case read
        case unfinished
    }

    /// Tables that still name the person although nothing waits.
    package let tables: [Table]
    /// Pending deliveries of events about the erasure: the person leaves them as soon as they end.
    package let waiting: [Erasure.Deliveries]
    package let files: Files?
    /// Whether the write-ahead log was emptied; nil for a store without one.
    package let log: Log?
    /// Whether the tables were vacuumed; nil for a store that needs it not.
    package let isVacuumed: Bool?

    package init(
        tables: [Table], waiting: [Erasure.Deliveries], files: Files? = nil, log: Log? = nil, isVacuumed: Bool? = nil
    ) {
        self.tables = tables.filter { $0.rows > 0 }
        self.waiting = waiting
        self.files = files
        self.log = log
        self.isVacuumed = isVacuumed
    }
}

extension Event {
    /// Makes the event of an erasure.
    /// - Parameters:
    ///   - id: a new one, with room for the ids of deliveries.
    ///   - lifetimeMilliseconds: the life of the event.
    package init(forgetting person: RevokedPerson, id: UUIDv7, now: UnixMilliseconds, lifetimeMilliseconds: UInt64) {
        self.init(
            id: id, kind: .userForgotten,
            identity: Identity(appID: person.appID, ticketID: nil, commentID: nil, deviceID: ""), userID: person.userID, occurredAt: now,
            receivedAt: now, expiresAt: now + lifetimeMilliseconds, data: Event.emptyData)
    }

    /// Makes the event by which the sessions of a person end at a help desk.
    /// - Parameters: as of the event of an erasure.
    package init(signingOut person: RevokedPerson, id: UUIDv7, now: UnixMilliseconds, lifetimeMilliseconds: UInt64) {
        self.init(
            id: id, kind: .userSignedOut,
            identity: Identity(appID: person.appID, ticketID: nil, commentID: nil, deviceID: ""), userID: person.userID, occurredAt: now,
            receivedAt: now, expiresAt: now + lifetimeMilliseconds, data: Event.emptyData)
    }

    /// The same event without the person, the device, its data, and its trace, whose id others chose.
    package func withoutPerson() -> Event {
        Event(
            id: id, kind: kind,
            identity: Identity(appID: identity.appID, ticketID: identity.ticketID, commentID: identity.commentID, deviceID: ""), userID: "",
            deviceType: deviceType, occurredAt: occurredAt, receivedAt: receivedAt, expiresAt: expiresAt, data: Event.emptyData)
    }
}
