internal import Core
internal import Time

/// Decides which refused calls are stored, so that nobody fills the store with them: a value, and the caller locks.
///
/// Those of a limit or a ticket are stored once in a minute, the others thirty times, for each person and function.
struct RefusalBook: Sendable {
    private static let people = 10_000
    private static let minute: UInt64 = 60_000

    private var rare = CallWindows([LimitRule(per: .user, max: 1, windowMilliseconds: minute)], personLimit: people)
    private var usual = CallWindows([LimitRule(per: .user, max: 30, windowMilliseconds: minute)], personLimit: people)

    /// Whether a refused call is stored, which is counted.
    mutating func admits(
        _ outcome: BotCall.Outcome, bot: String, _ function: String, _ caller: CallCaller, now: UnixMilliseconds
    ) -> Bool {
        // Neither a bot's name nor a function's has a slash.
        let person = CallWindows.Person(appID: caller.appID, userID: "\(bot)/\(function)/\(caller.userID)")
        switch outcome {
        case .limited, .denied: return rare.take(person, now: now) == nil
        default: return usual.take(person, now: now) == nil
        }
    }
}
