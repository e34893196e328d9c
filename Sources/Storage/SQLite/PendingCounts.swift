internal import Core
internal import SQLite

/// The numbers of pending deliveries by notifier and app's number, kept in memory to avoid counting rows.
struct PendingCounts: Sendable {
    private(set) var pending = PendingByApp<Int64>()
    /// The number of deliveries that the store itself has ended since it was opened.
    private(set) var refused: [ByteKey: [DeliveryEnding: Int]] = [:]

    init() {}

    init(_ connection: Connection) throws(SQLiteError) {
        let count = try Statement(connection, "SELECT notifier, app, count(*) FROM deliveries WHERE state = 0 GROUP BY notifier, app")
        while try count.step() { add(Int(try count.int64(2)), to: try count.string(0), of: try count.int64(1)) }
    }

    mutating func add(_ number: Int, to notifier: String, of app: Int64) {
        let key = ByteKey(notifier)
        pending.add(number, to: key, of: app)
        precondition(pending.counts[key]?[app] ?? 0 >= 0, "the number of pending deliveries is negative")
    }

    /// Counts a delivery that the store itself ends.
    mutating func refuse(_ ending: DeliveryEnding, for notifier: String) {
        refused[ByteKey(notifier), default: [:]][ending, default: 0] += 1
    }

    func hasPending(_ notifier: String) -> Bool { pending.counts[ByteKey(notifier)] != nil }

    /// The apps that have deliveries pending for a notifier, in the order of their numbers.
    func apps(of notifier: String) -> [Int64] { pending.counts[ByteKey(notifier)]?.keys.sorted() ?? [] }

    /// The notifiers with pending deliveries, sorted by the bytes of their names.
    var notifiers: [String] { pending.counts.keys.sorted().map(\.text) }
}
