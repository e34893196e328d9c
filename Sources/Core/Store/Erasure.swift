package import Time

/// The operator's action that ended pending deliveries; the raw value appears in metrics.
package enum GivenUpReason: String, Sendable, CaseIterable {
    case purged
    case forgotten
}

/// The number of rows that the erasure of a user has deleted.
package struct Erasure: Sendable, Equatable {
    package struct Deliveries: Sendable, Equatable {
        package let notifier: String
        package let count: Int

        package init(notifier: String, count: Int) {
            self.notifier = notifier
            self.count = count
        }

        /// Converts counts to a list in the order of the notifiers' names.
        package static func list(_ counts: [ByteKey: Int]) -> [Deliveries] {
            counts.sorted { $0.key < $1.key }.map { Deliveries(notifier: $0.key.text, count: $0.value) }
        }
    }

    package var devices = 0
    package var events = 0
    /// The number of deleted deliveries in any state.
    package var deliveries = 0
    /// The pending ones among `deliveries`, by notifier.
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

/// The texts that identify a user, for a search after the erasure.
package struct PersonTraces: Sendable, Equatable {
    /// The minimum length, in bytes of UTF-8, of a text that is searched in files. A shorter text may occur by chance.
    package static let shortestText = 8

    package let person: AppUser
    /// The user's device ids and push tokens.
    package let others: [String]

    package init(_ person: AppUser, others: [String] = []) {
        self.person = person
        self.others = others
    }

    /// The texts to search files for.
    package var texts: [String] { ([person.userID] + others).filter { $0.utf8.count >= Self.shortestText } }
    /// The number of texts that are too short for the search.
    package var tooShort: Int { others.count + 1 - texts.count }
}

/// The traces of a forgotten user that remain in a store.
package struct ErasureProof: Sendable, Equatable {
    /// The number of rows in a table that contain the user.
    package struct Table: Sendable, Equatable {
        package let name: String
        package let rows: Int

        package init(name: String, rows: Int) {
            self.name = name
            self.rows = rows
        }
    }

    /// The result of a byte-wise search of the store's files.
    package struct Files: Sendable, Equatable {
        package let names: [String]
        /// The total size of the files in bytes.
        package let bytes: UInt64
        /// The number of occurrences of the texts, including occurrences in longer texts.
        package let occurrences: Int

        package init(names: [String], bytes: UInt64, occurrences: Int) {
            self.names = names
            self.bytes = bytes
            self.occurrences = occurrences
        }
    }

    /// The state of SQLite's write-ahead log.
    package enum Log: Sendable {
        case emptied
        /// A reader uses the log, so it cannot be emptied now.
        case read
        /// The log could not be emptied in time, because the disk was too slow.
        case unfinished
    }

    /// The tables that still contain the user, apart from the events of `waiting`.
    package let tables: [Table]
    /// Pending deliveries of the events that report the erasure. The user is removed from these events when the deliveries end.
    package let waiting: [Erasure.Deliveries]
    /// The result of the file search; nil for a store without its own files.
    package let files: Files?
    /// The state of the write-ahead log; nil for a store without one.
    package let log: Log?
    /// Whether the tables were vacuumed; nil for a store that does not need it.
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
    /// Creates the event that reports a user's erasure.
    /// - Parameters:
    ///   - id: a new id, from which the ids of deliveries can be derived.
    ///   - lifetimeMilliseconds: the time until the event expires.
    package init(forgetting person: AppUser, id: UUIDv7, now: UnixMilliseconds, lifetimeMilliseconds: UInt64) {
        self.init(
            id: id, kind: .userForgotten,
            identity: Identity(appID: person.appID, ticketID: nil, commentID: nil, deviceID: ""), userID: person.userID, occurredAt: now,
            receivedAt: now, expiresAt: now + lifetimeMilliseconds, data: Event.emptyData)
    }

    /// Creates the event that ends a user's sessions at a help desk. The parameters are the same as above.
    package init(signingOut person: AppUser, id: UUIDv7, now: UnixMilliseconds, lifetimeMilliseconds: UInt64) {
        self.init(
            id: id, kind: .userSignedOut,
            identity: Identity(appID: person.appID, ticketID: nil, commentID: nil, deviceID: ""), userID: person.userID, occurredAt: now,
            receivedAt: now, expiresAt: now + lifetimeMilliseconds, data: Event.emptyData)
    }

    /// Returns the event without the user, the device, the data and the trace. The trace is removed because its id comes from callers.
    package func withoutPerson() -> Event {
        Event(
            id: id, kind: kind,
            identity: Identity(appID: identity.appID, ticketID: identity.ticketID, commentID: identity.commentID, deviceID: ""), userID: "",
            deviceType: deviceType, occurredAt: occurredAt, receivedAt: receivedAt, expiresAt: expiresAt, data: Event.emptyData)
    }
}
