package import Time

/// Counts the registrations of the last ten minutes, and those with a device type that no notifier of the app serves. Such a device is
/// registered but never notified, and has no delivery that would show this.
///
/// Apps register at each start, so a type in use appears repeatedly.
package struct UnservedDevices: Sendable {
    /// The minimum number of registrations of a type for a finding.
    package static let fewest = AnswerWindow.fewest
    /// The maximum number of an app's types that are counted within five seconds, because callers choose them.
    private static let maximumTypes = 16

    package struct Finding: Sendable, Equatable {
        /// As the caller named it.
        package let app, type: String
        /// Registrations of the type, and all registrations of the app.
        package let count, total: UInt64

        package init(app: String, type: String, count: UInt64, total: UInt64) {
            (self.app, self.type, self.count, self.total) = (app, type, count, total)
        }
    }

    private struct Tally {
        var total: UInt64 = 0
        var unserved: [ByteKey: UInt64] = [:]
    }

    /// By step, oldest first.
    private var slices: [(at: MonotonicMilliseconds, apps: [ByteKey: Tally])] = []

    package init() {}

    /// - Parameter isServed: whether a notifier serves the type.
    package mutating func note(app: String, type: String, isServed: Bool, now: MonotonicMilliseconds) {
        drop(now)
        if slices.last.map({ now.elapsed(since: $0.at) >= AnswerWindow.stepMilliseconds }) ?? true { slices.append((now, [:])) }
        let (last, name, type) = (slices.count - 1, ByteKey(app), ByteKey(type))
        var tally = slices[last].apps[name] ?? Tally()
        tally.total += 1
        if !isServed, tally.unserved[type] != nil || tally.unserved.count < Self.maximumTypes { tally.unserved[type, default: 0] += 1 }
        slices[last].apps[name] = tally
    }

    /// Returns the types with at least `fewest` registrations, by app and type.
    package mutating func findings(now: MonotonicMilliseconds) -> [Finding] {
        drop(now)
        var sums: [ByteKey: Tally] = [:]
        for slice in slices {
            for (app, tally) in slice.apps {
                sums[app, default: Tally()].total += tally.total
                sums[app, default: Tally()].unserved.merge(tally.unserved, uniquingKeysWith: +)
            }
        }
        return sums.sorted { $0.key < $1.key }.flatMap { app, tally in
            tally.unserved.sorted { $0.key < $1.key }.filter { $0.value >= Self.fewest }.map { type, count in
                Finding(app: app.text, type: type.text, count: count, total: tally.total)
            }
        }
    }

    private mutating func drop(_ now: MonotonicMilliseconds) {
        slices.removeAll { now.elapsed(since: $0.at) >= AnswerWindow.lengthMilliseconds }
    }
}
