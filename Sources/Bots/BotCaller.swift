internal import Bytes
internal import Core
internal import Crypto
internal import HelpDesk
internal import Observability
internal import Threading
internal import Time

/// Performs calls of functions for all routes.
///
/// A change is stored before the backend is called, and only once: its key is unique in the store. After that the call is authorized again.
/// A call that changes nothing is stored while the backend is called.
final class BotCaller: Sendable {
    /// The time that a change waits for the store; a change stored later is not performed.
    static let storeMilliseconds: UInt64 = TimeLimit.milliseconds(2000)
    /// The time that a request may take in addition to the timeouts of its parts.
    static let marginMilliseconds: UInt64 = TimeLimit.milliseconds(1000)

    private let services: HelpDeskServices
    private let backend: BackendCaller
    private let handOffs: HandOffCaller
    private let refused = Monitor(RefusalSampler())
    private let storeRefusals = StoreRefusals()

    init(_ services: HelpDeskServices, backend: BackendCaller, handOffs: HandOffCaller) {
        (self.services, self.backend, self.handOffs) = (services, backend, handOffs)
    }

    /// Returns a refusal if a limit of the function rejects the call; nil otherwise. Does not count the call.
    func refusal(_ function: ServedBot.Function, of bot: ServedBot, _ caller: BotGrant) -> CallRefusal? {
        let now = services.clocks.unixMilliseconds()
        return bot.coalescer.withLock { $0.refusal(of: function.definition.name, caller.person, now: now) }.map { .limited($0, now: now) }
    }

    /// Returns a refusal if the user has too many calls in progress or has exhausted the budget for refused calls; nil otherwise.
    func refusalIfExhausted(of caller: BotGrant, at bot: ServedBot) -> CallRefusal? {
        bot.coalescer.withLock({ $0.isFull(for: caller.person) }) ? .busy : refusalIfExhausted(of: caller)
    }

    /// Returns a refusal if the user has exhausted the budget for refused calls; nil otherwise.
    func refusalIfExhausted(of caller: BotGrant) -> CallRefusal? {
        let now = services.clocks.unixMilliseconds()
        return refused.withLock { $0.secondsToWait(caller.person, now: now) }.map { .exhausted(seconds: $0) }
    }

    /// - Parameter complete: called exactly once, on any thread, perhaps before this returns; must not block.
    func perform(_ call: AuthorizedBotCall, _ complete: @escaping CallWaiter) {
        let now = services.clocks.unixMilliseconds()
        let repeated: CallWaiter = { reply in
            call.function.counters.increment(.repeated)
            complete(reply)
        }
        let admission = call.bot.coalescer.withLock { coalescer in
            coalescer.admit(call.function.definition.name, person: call.caller.person, key: call.key, waiter: repeated, now: now)
        }
        switch admission {
        case .wait: count(call, now: now)
        case .repeated(let reply):
            count(call, now: now)
            repeated(reply)
        case .limited(let refusal): complete(refuse(.limited(refusal, now: now), call))
        case .busy: complete(refuse(.busy, call))
        case .perform: begin(call, now: now, complete)
        }
    }

    /// Counts the bytes of a repeated call, which the limits of its function do not cover.
    private func count(_ call: AuthorizedBotCall, now: UnixMilliseconds) {
        refused.withLock { $0.count(call.byteCount, of: call.caller.person, now: now) }
    }

    private func begin(_ call: AuthorizedBotCall, now: UnixMilliseconds, _ complete: @escaping CallWaiter) {
        let row: BotCall
        do throws(CryptoError) {
            row = try self.row(of: call, now: now)
        } catch {
            return finish(call, reply: .refusal(.undecided("internal_error")), id: nil, keeps: false, complete: complete)
        }
        guard call.key != nil else {
            services.store.begin(row, isAwaited: { true }) { [self] in note($0, id: row.id, call: call) }
            return ask(call, id: row.id, complete: complete)
        }
        let deadline = services.clocks.monotonicMilliseconds() + Self.storeMilliseconds
        let isInTime: @Sendable () -> Bool = { [clock = services.clocks.monotonicMilliseconds] in clock() < deadline }
        services.store.begin(row, isAwaited: isInTime) { [self] result in
            do throws(StoreError) {
                if case .repeated(let former) = try result.get() {
                    finish(call, reply: .refusal(.alreadyCalled(former)), id: former.id, keeps: false, complete: complete)
                } else if let refusal = isInTime() ? refusal(ofStored: call) : .late {
                    withdraw(call, id: row.id, refusal: refusal, complete: complete)
                } else {
                    ask(call, id: row.id, complete: complete)
                }
            } catch {
                finish(
                    call, reply: .refusal(.notStored(storeRefusals.response(error.kind), error.kind)), id: nil, keeps: false,
                    complete: complete)
            }
        }
    }

    private func withdraw(_ call: AuthorizedBotCall, id: UUIDv7, refusal: CallRefusal, complete: @escaping CallWaiter) {
        let now = services.clocks.unixMilliseconds()
        let ending = BotCall.Ending(refusal.outcome ?? .failed, reason: refusal.reason, releasesKey: true, at: now)
        end(call, id: id, ending: ending, reply: .refusal(refusal), complete: complete)
    }

    /// Returns a refusal if the user was signed out or the security key was revoked while the change waited for the store or the help desk;
    /// nil otherwise.
    private func refusal(ofStored call: AuthorizedBotCall) -> CallRefusal? {
        do throws(CryptoError) {
            let denial = try services.state.current.authorizer.denial(
                of: call.caller, now: services.clocks.unixSeconds(), revocations: services.revocations.current)
            return denial.map { .denied($0.rawValue) }
        } catch {
            return .undecided(UndecidedReason.internalError.rawValue)
        }
    }

    private func ask(_ call: AuthorizedBotCall, id: UUIDv7, complete: @escaping CallWaiter) {
        let start = services.clocks.monotonicNanoseconds()
        let conclude: @Sendable (Result<FunctionAnswer, BackendFault>) -> Void = { [self] result in
            call.bot.duration.observe(nanoseconds: services.clocks.monotonicNanoseconds() - start)
            let (reply, ending) = CallReply.conclude(result, of: call.function.definition, at: services.clocks.unixMilliseconds())
            end(call, id: id, ending: ending, reply: reply, complete: complete)
        }
        switch call.action {
        case .request(let request):
            backend.send(
                BackendCaller.Call(
                    id: id, appID: call.caller.appID, request: request, key: call.key, secrets: call.bot.definition.secrets,
                    trace: call.context.trace), conclude)
        case .handOff(let draft):
            handOffs.submit(for: call.caller.person) { [self] fault in
                if let fault { return conclude(.failure(fault)) }
                if let refusal = refusal(ofStored: call) { return withdraw(call, id: id, refusal: refusal, complete: complete) }
                conclude(handOffs.perform(draft, at: call.caller.appID))
            }
        }
    }

    /// Stores the end of a stored call. If the same call may begin again, the waiters are notified only after the store allows that for all
    /// replicas. If the end could not be stored, the call cannot begin again, and this process gives repetitions the same answer.
    private func end(
        _ call: AuthorizedBotCall, id: UUIDv7, ending: BotCall.Ending, reply: CallReply, complete: @escaping CallWaiter
    ) {
        services.store.end(id, ending) { [self] result in
            note(result.map { .new }, id: id, call: call)
            guard ending.releasesKey else { return }
            let isStored = if case .success = result { true } else { false }
            finish(call, reply: reply, id: id, keeps: !isStored, complete: complete)
        }
        if !ending.releasesKey { finish(call, reply: reply, id: id, keeps: true, complete: complete) }
    }

    /// Ends an admitted call, and notifies all waiters.
    /// - Parameter keeps: whether the answer is stored for repetitions.
    private func finish(_ call: AuthorizedBotCall, reply: CallReply, id: UUIDv7?, keeps: Bool, complete: CallWaiter) {
        let now = services.sharedNow
        let waiters = call.bot.coalescer.withLock { coalescer in
            coalescer.finish(
                call.key, person: call.caller.person, reply: reply, keepingUntil: keeps ? call.caller.expiresAt : nil, now: now)
        }
        call.function.counters.increment(reply.result)
        if case .refusal(let refusal) = reply {
            log(refusal, bot: call.bot, function: call.function, caller: call.caller, context: call.context, id: id)
        }
        complete(reply)
        for waiter in waiters { waiter(reply) }
    }

    private func row(of call: AuthorizedBotCall, now: UnixMilliseconds) throws(CryptoError) -> BotCall {
        let id = try UUIDv7(milliseconds: now, from: services.random)
        let (digest, text) = try stored(call.arguments, of: call.bot)
        return BotCall(
            id: id, key: call.key, appID: call.caller.appID, userID: call.caller.userID, bot: call.bot.definition.name,
            function: call.function.definition.name, argumentsSHA256: digest, arguments: text, at: now)
    }

    /// Returns the digest of the arguments, and their text if the configuration requires it to be recorded.
    private func stored(_ arguments: BotArguments, of bot: ServedBot) throws(CryptoError) -> (digest: String, text: String?) {
        let digest = try sha256(arguments.canonical.span)
        let text = bot.definition.recordsArguments ? String(decoding: arguments.canonical, as: UTF8.self) : nil
        return (Hexadecimal.text(digest.span), text)
    }

    /// Logs that a call could not be stored. A call that changes nothing is still answered.
    private func note(_ result: Result<BotCallBeginning, StoreError>, id: UUIDv7, call: AuthorizedBotCall) {
        guard case .failure(let error) = result else { return }
        var fields: LogFields = [
            "bot": .string(call.bot.definition.name), "function": .string(call.function.definition.name),
            "reason": .string("\(error.kind)"),
            "call_id": .string(id.description),
        ]
        call.context.append(to: &fields)
        services.denials.log(.warning, message: "bot call not stored", reason: "\(error.kind)", fields: fields)
    }
}

// Calls that are refused before they are performed
extension BotCaller {
    func refuse(_ refusal: CallRefusal, _ call: AuthorizedBotCall) -> CallReply {
        refuse(
            refusal, bot: call.bot, function: call.function, caller: call.caller, context: call.context, arguments: call.arguments,
            byteCount: call.byteCount)
    }

    /// Counts, logs and stores the refusal of a call.
    /// - Parameters:
    ///   - function: nil for an unknown function.
    ///   - caller: nil when the user is unknown; then nothing is stored, so that unauthenticated callers cannot fill the store.
    ///   - byteCount: the number of bytes of arguments that were read.
    func refuse(
        _ refusal: CallRefusal, bot: ServedBot, function: ServedBot.Function?, caller: BotGrant?, context: RequestContext,
        arguments: BotArguments? = nil, byteCount: Int = 0
    ) -> CallReply {
        (function?.counters ?? bot.others).increment(refusal.result)
        log(refusal, bot: bot, function: function, caller: caller, context: context, id: nil)
        // A failure of Deskgate must not use up the caller's budget.
        if let caller, refusal.result != .unavailable {
            let now = services.clocks.unixMilliseconds()
            refused.withLock { $0.count(byteCount, of: caller.person, now: now) }
        }
        if let function, let caller, let outcome = refusal.outcome {
            record(refusal, outcome: outcome, bot: bot, function: function, caller: caller, arguments: arguments, context: context)
        }
        return .refusal(refusal)
    }

    private func record(
        _ refusal: CallRefusal, outcome: BotCall.Outcome, bot: ServedBot, function: ServedBot.Function, caller: BotGrant,
        arguments: BotArguments?, context: RequestContext
    ) {
        let now = services.clocks.unixMilliseconds()
        guard
            refused.withLock({ $0.admits(outcome, bot: bot.definition.name, function: function.definition.name, caller: caller, now: now) })
        else { return }
        guard let id = try? UUIDv7(milliseconds: now, from: services.random) else { return }
        let known = arguments.flatMap { try? stored($0, of: bot) }
        let text = known?.text.flatMap { $0.utf8.count <= RefusalSampler.longestText ? $0 : nil }
        let row = BotCall(
            id: id, appID: caller.appID, userID: caller.userID, bot: bot.definition.name, function: function.definition.name,
            argumentsSHA256: known?.digest ?? "", arguments: text, at: now,
            ending: BotCall.Ending(outcome, statusCode: nil, reason: refusal.reason, at: now))
        services.store.begin(row, isAwaited: { true }) { _ in }
    }

    /// Logs a call that was not performed. No field contains text from the caller.
    func log(
        _ refusal: CallRefusal, bot: ServedBot?, function: ServedBot.Function?, caller: BotGrant?, context: RequestContext,
        id: UUIDv7?
    ) {
        services.denials.log(
            refusal.level, message: "bot call", reason: refusal.reason,
            fields: fields(refusal, bot: bot, function: function, caller: caller, context: context, id: id))
    }

    private func fields(
        _ refusal: CallRefusal, bot: ServedBot?, function: ServedBot.Function?, caller: BotGrant?, context: RequestContext,
        id: UUIDv7?
    ) -> LogFields {
        var fields: LogFields = ["result": .string(refusal.result.rawValue), "reason": .string(refusal.reason)]
        if let bot { fields.append("bot", .string(bot.definition.name)) }
        if let function { fields.append("function", .string(function.definition.name)) }
        if let caller { append(caller, to: &fields) }
        if let id { fields.append("call_id", .string(id.description)) }
        context.append(to: &fields)
        return fields
    }

    private func append(_ caller: BotGrant, to fields: inout LogFields) {
        fields.append("app", .string(caller.appID))
        let (authorizer, appID, userID) = (services.state.current.authorizer, caller.appID, caller.userID)
        if let reference = authorizer.userReference(appID: appID.utf8.span, userID: userID.utf8.span) {
            fields.append("user_ref", .string(reference))
        }
    }
}
