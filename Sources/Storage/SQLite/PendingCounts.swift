internal import Core
internal import SQLite

/// How many deliveries are pending, by notifier: kept beside the file, so that nobody has to count there.
struct PendingCounts: Sendable {
    private(set) var byNotifier: [ByteKey: Int] = [:]
    private(set) var total = 0
    /// How many had ended when they were made, since the store was opened.
    private(set) var refused: [ByteKey: [DeliveryEnding: Int]] = [:]

    init() {}

    /// Counts what is in the file.
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

    /// Counts one that had ended when it was made.
    mutating func refuse(_ ending: DeliveryEnding, for notifier: String) {
        refused[ByteKey(notifier), default: [:]][ending, default: 0] += 1
    }

    /// How many wait for a notifier.
    func pending(_ notifier: String) -> Int { byNotifier[ByteKey(notifier)] ?? 0 }

    /// The notifiers that something waits for, in the order of their names' bytes.
    var notifiers: [String] { byNotifier.keys.sorted().map(\.text) }
}
