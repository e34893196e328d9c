internal import Synchronization

/// The lowest level that is written, which all copies of a logger share and any thread may change.
final class LogThreshold: Sendable {
    private let number: Atomic<UInt8>

    init(_ level: LogLevel) {
        number = Atomic(level.rawValue)
    }

    var level: LogLevel {
        guard let level = LogLevel(rawValue: number.load(ordering: .relaxed)) else { preconditionFailure("only levels are stored") }
        return level
    }

    func set(_ level: LogLevel) {
        number.store(level.rawValue, ordering: .relaxed)
    }
}
