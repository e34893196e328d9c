internal import Core
internal import Time

/// Bounds what refused calls cost: how many are stored, with how much of their arguments, and how many bytes of arguments are read for
/// them. It is a value, and the caller locks.
///
/// Of each person thirty are stored in a minute. Refusals by a limit or a ticket are stored once in a minute for each function, because
/// they come by the thousand.
struct RefusalSampler: Sendable {
    /// The maximum size of arguments that are read for a person's rejected calls in a minute, in bytes. Calls with small mistakes stay far
    /// below it.
    static let bytesPerMinute = 4 << 20
    /// The longest arguments, in bytes, whose text is stored with a refused call; of longer ones the digest is.
    static let longestText = 2048

    private static let people = 10_000
    private static let minute: UInt64 = 60_000

    /// The bytes of a person's refused calls in the minute that began then.
    private struct Spent {
        let began: UnixMilliseconds
        var bytes = 0
    }

    private var rare = CallWindows([LimitRule(per: .user, max: 1, windowMilliseconds: minute)], personLimit: people)
    private var usual = CallWindows([LimitRule(per: .user, max: 30, windowMilliseconds: minute)], personLimit: people)
    private var spent = BoundedTable<CallWindows.Person, Spent>(limit: people)

    /// Whether a refused call is stored, which is counted.
    mutating func admits(
        _ outcome: BotCall.Outcome, bot: String, function: String, caller: BotGrant, now: UnixMilliseconds
    ) -> Bool {
        switch outcome {
        case .limited, .denied:
            // Neither a bot's name nor a function's has a slash.
            let person = CallWindows.Person(appID: caller.appID, userID: "\(bot)/\(function)/\(caller.userID)")
            return rare.take(person, now: now) == nil
        default: return usual.take(caller.person, now: now) == nil
        }
    }

    /// Counts the bytes of a refused call's arguments.
    mutating func count(_ bytes: Int, of person: CallWindows.Person, now: UnixMilliseconds) {
        guard bytes > 0 else { return }
        var spent = spent(by: person, now: now)
        spent.bytes += bytes
        self.spent.insert(spent, for: person)
    }

    /// Returns the seconds until a person's arguments are read again; nil when they are read now.
    func secondsToWait(_ person: CallWindows.Person, now: UnixMilliseconds) -> UInt64? {
        let spent = spent(by: person, now: now)
        guard spent.bytes >= Self.bytesPerMinute else { return nil }
        return (now.remaining(until: spent.began + Self.minute) + 999) / 1000
    }

    private func spent(by person: CallWindows.Person, now: UnixMilliseconds) -> Spent {
        // A minute that lies in the future began before the clock was set back.
        guard let spent = spent[person], spent.began <= now, now < spent.began + Self.minute else { return Spent(began: now) }
        return spent
    }
}
