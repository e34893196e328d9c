internal import Core
internal import SQLite

/// The numbers of pending deliveries by notifier, kept in memory so that nobody has to count rows.
struct PendingCounts: Sendable {
    private(set) var byNotifier: [ByteKey: Int] = [:]
    private(set) var total = 0
    /// How many deliveries had already ended when they were made, since the store was opened.
    private(set) var refused: [ByteKey: [DeliveryEnding: Int]] = [:]

    init() {}

    /// Counts the pending deliveries of the file.
    init(_ connection: Connection) throws(SQLiteError) {
        let count = try Statement(connection, "SELECT notifier, count(*) FROM deliveries WHERE state = 0 GROUP BY notifier")
        while try count.step() { add(Int(try count.int64(1)), to: try count.string(0)) }
    }

    /// Changes a notifier's count.
    mutating func add(_ number: Int, to notifier: String) {
        total += number
        let key = ByteKey(notifier)
        let count = byNotifier[key, default: 0] + number
        precondition(count >= 0, "fewer than none are pending")
        byNotifier[key] = count == 0 ? nil : count
    }

    /// Counts a delivery that had already ended when it was made.
    mutating func refuse(_ ending: DeliveryEnding, for notifier: String) {
        refused[ByteKey(notifier), default: [:]][ending, default: 0] += 1
    }

    /// The number of pending deliveries of a notifier.
    func pending(_ notifier: String) -> Int { byNotifier[ByteKey(notifier)] ?? 0 }

    /// The notifiers with pending deliveries, sorted by the bytes of their names.
    var notifiers: [String] { byNotifier.keys.sorted().map(\.text) }
}
