import Core
import Crypto
import Storage
import Time

/// Fills a store before `Benchmarks/run` measures: with comments for a notifier that needs no device, with comments for a notifier
/// that notifies devices (and these devices), or with registered devices.
enum FillCommand {
    private struct Usage: Error, CustomStringConvertible {
        let description =
            "usage: deskgate-benchmarks [fill-events FILE APP NOTIFIER COUNT | fill-pushes FILE APP NOTIFIER COUNT | "
            + "fill-devices FILE APP FIRST COUNT]"
    }

    /// The limits that the help desk requires of apps; the configuration has them by default.
    private static let limits = [
        LimitRule(per: .user, max: 1, windowMilliseconds: 300_000), LimitRule(per: .device, max: 5, windowMilliseconds: 300_000),
    ]

    /// A time longer than the default retention of devices.
    private static let idleMilliseconds: UInt64 = 300 * 86_400_000

    /// Runs the subcommand in the arguments.
    /// - Throws: the usage, or the store's error.
    static func run(_ arguments: [String]) throws {
        guard arguments.count == 5, let count = Int(arguments[4]), count >= 0 else { throw Usage() }
        let (file, app) = (arguments[1], arguments[2])
        switch (arguments[0], Int(arguments[3])) {
        case ("fill-events", _): try events(file, appID: app, notifier: arguments[3], count: count, tokens: [])
        case ("fill-pushes", _):
            try events(file, appID: app, notifier: arguments[3], count: count, tokens: (0..<SampleEvents.tickets).map { _ in try token() })
        case ("fill-devices", let first?): try devices(file, appID: app, numbers: first..<first + count)
        default: throw Usage()
        }
    }

    /// - Parameters:
    ///   - notifier: one name, or several separated by commas; the events are distributed evenly among them.
    ///   - tokens: one per person for a notifier that notifies devices; empty for any other.
    private static func events(_ file: String, appID: String, notifier: String, count: Int, tokens: [PushToken]) throws {
        let filling = try Filling(path: file)
        defer { filling.store.close() }
        let type = notifier == "apns" ? "ios" : "android"
        let notifiers = notifier.split(separator: ",").map(String.init)
        try filling.fill(1..<count + 1) { number, completion in
            let token = tokens.isEmpty ? nil : tokens[number % tokens.count]
            let name = notifiers[number % notifiers.count]
            let incoming = SampleEvents.comment(number, appID: appID, notifier: name, type: type, token: token)
            filling.store.accept(incoming, telling: .nobody) { completion($0.failure) }
        }
    }

    /// Registers one device per user. User names and token digests ascend, so that the store appends to its indexes: this takes minutes,
    /// and random positions would take an hour. One device in a hundred has been idle for so long that upkeep removes it.
    private static func devices(_ file: String, appID: String, numbers: Range<Int>) throws {
        let filling = try Filling(path: file)
        defer { filling.store.close() }
        let now = SystemClock.unixMilliseconds()
        try filling.fill(numbers) { number, completion in
            let digits = String(number)
            let user = "customer-\(String(repeating: "0", count: max(0, 8 - digits.utf8.count)))\(digits)"
            let wish = Registration(
                key: Device.Key(appID: appID, userID: user, deviceID: "phone-\(number)"), type: "ios",
                token: PushToken(try token().text, digest: rising(number)), now: number % 100 == 0 ? now - idleMilliseconds : now,
                rules: limits)
            filling.store.register(wish, telling: .nobody) { completion($0.failure) }
        }
    }

    /// Returns 16 bytes that ascend with `number`, which must be below 2^23, and that cover the whole range.
    private static func rising(_ number: Int) -> [UInt8] {
        let spread = UInt64(number) << 41
        return (0..<16).map { $0 < 8 ? UInt8(truncatingIfNeeded: spread >> (56 - 8 * $0)) : 0 }
    }

    /// A random token of 64 hexadecimal digits, the form of APNs tokens.
    private static func token() throws -> PushToken {
        let random: InlineArray<32, UInt8> = try randomBytes()
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for index in random.indices { text += [digits[Int(random[index] >> 4)], digits[Int(random[index] & 15)]] }
        return try PushToken(String(decoding: text, as: UTF8.self))
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let error) = self { error } else { nil }
    }
}
