internal import Configuration
internal import Core
internal import HelpDesk
internal import Observability
internal import Threading

/// Receives the reply to a call, once, on any thread; must not block.
typealias CallWaiter = @Sendable (CallReply) -> Void

struct ServedBot: Sendable {
    struct Function: Sendable {
        let definition: BotFunction
        let endpoint: String
        let counters: LabelledCounters<CallResult>
    }

    let definition: BotDefinition
    /// The state of calls, which persists across reloads.
    let coalescer: Monitor<BotCallCoalescer<CallWaiter>>
    let duration: Histogram
    let starts: LabelledCounters<BotMetrics.StartResult>
    let quickReplies: (cut: Counter, broken: Counter)
    let others: LabelledCounters<CallResult>
    private let functions: [ByteKey: Function]

    init(_ definition: BotDefinition, coalescer: Monitor<BotCallCoalescer<CallWaiter>>, _ metrics: BotMetrics) {
        (self.definition, self.coalescer) = (definition, coalescer)
        duration = metrics.duration(bot: definition.name)
        starts = metrics.starts(bot: definition.name)
        quickReplies = metrics.quickReplies(bot: definition.name)
        others = metrics.calls(bot: definition.name, function: "")
        functions = Dictionary(
            definition.functions.map { function in
                let counters = metrics.calls(bot: definition.name, function: function.name)
                return (
                    ByteKey(function.name), Function(definition: function, endpoint: definition.address(of: function), counters: counters)
                )
            }
        ) { first, _ in first }
    }

    func function(_ name: String) -> Function? { functions[ByteKey(name)] }

    var limits: [(name: String, limits: [LimitRule])] { definition.functions.map { ($0.name, $0.limits) } }
}

/// The bots of the current configuration: an immutable snapshot, which a reload replaces.
final class BotsState: Sendable {
    let shared: HelpDeskState
    let longestTimeoutMilliseconds: UInt64
    private let bots: [ByteKey: ServedBot]

    /// Builds the snapshot of a configuration, without activating it.
    /// - Parameter former: the active state; nil at startup.
    init(_ configuration: Configuration, shared: HelpDeskState, metrics: BotMetrics, former: BotsState? = nil) {
        self.shared = shared
        bots = Dictionary(
            configuration.bots.map { bot in
                let key = ByteKey(bot.name)
                let coalescer = former?.bots[key]?.coalescer ?? Monitor(BotCallCoalescer())
                return (key, ServedBot(bot, coalescer: coalescer, metrics))
            }
        ) { first, _ in first }
        let timeouts = configuration.bots.flatMap(\.functions).map { UInt64($0.timeoutMilliseconds) }
        longestTimeoutMilliseconds = timeouts.max() ?? UInt64(BotRequest.defaultTimeoutMilliseconds)
    }

    func bot(_ name: String) -> ServedBot? { bots[ByteKey(name)] }

    func begin() {
        for bot in bots.values { bot.coalescer.withLock { $0.use(bot.limits) } }
    }

    /// Removes the stored answers to users whom a change of the revocations may affect.
    func forgetAnswers(after change: RevocationChange?) {
        var person: CallWindows.Person?
        switch change {
        case .removed: return
        case .added(let revocation):
            if case .user(let userID) = revocation.subject { person = CallWindows.Person(appID: revocation.appID, userID: userID) }
        case nil: break
        }
        for bot in bots.values { bot.coalescer.withLock { $0.forgetAnswers(to: person) } }
    }
}
