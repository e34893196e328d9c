internal import Core
internal import Time

/// Limits the cost of refused calls: the number of stored calls, the size of their stored arguments, and the bytes of arguments that are
/// read. This type is a value; its owner locks.
///
/// Thirty refused calls of each user are stored in a minute. Refusals by a limit or a ticket are stored once a minute for each function,
/// because there may be thousands.
struct RefusalSampler: Sendable {
    /// The bytes of arguments that are read for a user's refused calls in a minute. Calls with small faults never reach it.
    static let bytesPerMinute = 4 << 20
    /// The maximum size in bytes of arguments that are stored with a refused call; of larger ones only the digest is stored.
    static let longestText = 2048

    private static let people = 10_000
    private static let minute: UInt64 = 60_000

    /// The bytes of a user's refused calls in the minute since `began`.
    private struct Spent {
        let began: UnixMilliseconds
        var bytes = 0
    }

    private var rare = CallWindows([LimitRule(per: .user, max: 1, windowMilliseconds: minute)], personLimit: people)
    private var usual = CallWindows([LimitRule(per: .user, max: 30, windowMilliseconds: minute)], personLimit: people)
    private var spent = BoundedTable<CallWindows.Person, Spent>(limit: people)

    /// Whether to store a refused call. If so, it is counted.
    mutating func admits(
        _ outcome: BotCall.Outcome, bot: String, function: String, caller: BotGrant, now: UnixMilliseconds
    ) -> Bool {
        switch outcome {
        case .limited, .denied:
            // Neither a bot's name nor a function's name has a slash.
            let person = CallWindows.Person(appID: caller.appID, userID: "\(bot)/\(function)/\(caller.userID)")
            return rare.take(person, now: now) == nil
        default: return usual.take(caller.person, now: now) == nil
        }
    }

    mutating func count(_ bytes: Int, of person: CallWindows.Person, now: UnixMilliseconds) {
        guard bytes > 0 else { return }
        var spent = spent(by: person, now: now)
        spent.bytes += bytes
        self.spent.insert(spent, for: person)
    }

    /// The seconds that a user must wait before arguments are read again; nil when they are read now.
    func secondsToWait(_ person: CallWindows.Person, now: UnixMilliseconds) -> UInt64? {
        let spent = spent(by: person, now: now)
        guard spent.bytes >= Self.bytesPerMinute else { return nil }
        return (now.remaining(until: spent.began + Self.minute) + 999) / 1000
    }

    private func spent(by person: CallWindows.Person, now: UnixMilliseconds) -> Spent {
        // A start in the future means that the clock was set back.
        guard let spent = spent[person], spent.began <= now, now < spent.began + Self.minute else { return Spent(began: now) }
        return spent
    }
}
