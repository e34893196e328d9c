internal import Configuration
internal import Core
internal import Crypto
internal import HTTPClient
internal import JSON
internal import Observability
internal import Threading
internal import Time
internal import Tracing

/// Queries the backend of one app about its users. The verifier is kept in reloads that do not change the app's `verify`. Any thread may
/// use it.
final class BackendVerifier: Sendable {
    /// Called once, on any thread; must not block.
    typealias Waiter = @Sendable (BackendAnswer) -> Void

    let app: String
    let appDigest: KeyedDigest
    let settings: Configuration.Verify
    private let secrets: [StandardWebhookSecret]
    private let server: ServerAddress?
    private let coalescer: Monitor<BackendCallCoalescer<Waiter>>
    private let counters: BackendCounters
    private let services: BackendServices

    /// - Throws: when OpenSSL fails.
    init(_ settings: Configuration.Verify, of application: Application, _ services: BackendServices) throws(CryptoError) {
        app = application.name
        appDigest = application.digest
        self.settings = settings
        self.services = services
        secrets = try settings.signingSecrets()
        server = ServerAddress(url: settings.url)
        coalescer = Monitor(BackendCallCoalescer(lifetimes: settings.lifetimes, keysAreChecked: settings.mode != .backend))
        counters = services.metrics.counters(of: app)
    }

    /// Returns a cached answer, or a rejection without a call; nil when `ask` must be called.
    func find(_ identity: CheckIdentity) -> BackendAnswer? {
        let now = services.clocks.monotonicMilliseconds()
        guard let finding = coalescer.withLock({ $0.find(identity, now: now) }) else { return nil }
        counters.count(finding)
        return finding.answer
    }

    /// Answers immediately, or joins or starts a call.
    /// - Parameter trace: the trace of the request. A call that several requests share belongs to the trace of the first one.
    func ask(_ identity: CheckIdentity, body: [UInt8], in trace: TraceContext?, _ waiter: @escaping Waiter) {
        let now = services.clocks.monotonicMilliseconds()
        switch coalescer.withLock({ $0.ask(identity, waiter, now: now) }) {
        case .wait: break
        case .answer(let finding):
            counters.count(finding)
            waiter(finding.answer)
        case .call(let number, let isKnown): call(number, identity: identity, body: body, isKnown: isKnown, in: trace)
        }
    }

    var status: BackendStatus {
        let now = services.clocks.monotonicMilliseconds()
        return coalescer.withLock { $0.status(now: now) }
    }

    var waiting: Int { coalescer.withLock { $0.waiting } }

    /// Discards the cached answers about a user.
    /// - Parameter person: the digest in `CheckIdentity`; nil for all users.
    func forget(person: UInt128?) {
        coalescer.withLock { $0.forget(person: person) }
    }

    private func call(_ number: UInt64, identity: CheckIdentity, body: [UInt8], isKnown: Bool, in trace: TraceContext?) {
        let start = services.clocks.monotonicNanoseconds()
        let span = trace.flatMap { services.tracer.begin(below: $0) }
        let request: ClientRequest
        do {
            request = try signedRequest(body, in: span?.context)
        } catch {
            return answer(finish(number, BackendReply(.internalError, .unknown), since: start), with: .undecided(.internalError))
        }
        services.send(request, for: app, isKnown: isKnown) { [self] result in
            let reply = BackendReply(result)
            endSpan(span, reply: reply, status: try? result.get().status)
            let end = finish(number, reply, since: start)
            // An allowing answer may be older than the revocation that caused `forget`, so its waiters start a new call.
            guard end.isForgotten, reply.answer == .allowed else { return answer(end, with: reply.answer) }
            for waiter in end.waiters { ask(identity, body: body, in: trace, waiter) }
        }
    }

    private func endSpan(_ span: OpenSpan?, reply: BackendReply, status: Int?) {
        let failure: String? = if case .undecided(let reason) = reply.answer { reason.rawValue } else { nil }
        services.tracer.end(
            span, kind: .client, failure: failure, name: "POST backend",
            attributes: .request(method: "POST", status: status) + .server(server) + [
                .text("deskgate.app", app), .text("deskgate.result", failure ?? (reply.answer == .allowed ? "allowed" : "denied")),
            ])
    }

    private func signedRequest(_ body: [UInt8], in span: TraceContext?) throws -> ClientRequest {
        let now = services.clocks.unixMilliseconds()
        let id = try UUIDv7(milliseconds: now, from: services.random).description
        let signature = try StandardWebhookSignature(id: id, now: now, body: body.span, secrets: secrets)
        return try ClientRequest(
            .post, settings.url,
            headers: [
                ("Content-Type", "application/json"), ("webhook-id", id), ("webhook-timestamp", signature.timestamp),
                ("webhook-signature", signature.signature),
            ] + (span.map { [("\(TraceContext.header)", $0.traceparent)] } ?? []),
            body: body, timeoutMilliseconds: settings.timeoutMilliseconds, connectTimeoutMilliseconds: settings.timeoutMilliseconds,
            needsOnlyHead: true)
    }

    private func answer(_ end: BackendCallCoalescer<Waiter>.End, with answer: BackendAnswer) {
        for waiter in end.waiters { waiter(answer) }
    }

    private func finish(_ number: UInt64, _ reply: BackendReply, since start: UInt64) -> BackendCallCoalescer<Waiter>.End {
        let nanoseconds = services.clocks.monotonicNanoseconds()
        counters.checks.increment(reply.answer)
        counters.duration.observe(nanoseconds: nanoseconds - start)
        // An existential, because it has a nonzero size: the thread sanitizer confuses an empty value with the adjacent value in memory.
        var random: any RandomNumberGenerator = SystemRandomNumberGenerator()
        let end = coalescer.withLock { coalescer in
            coalescer.finish(number, reply, now: MonotonicMilliseconds(nanoseconds: nanoseconds), random: &random)
        }
        if let change = end.change { log(change, reply) }
        return end
    }

    private func log(_ change: BackendCallCoalescer<Waiter>.Change, _ reply: BackendReply) {
        guard change != .closed, let failure = reply.failure else {
            return services.logger.log(.info, message: "a backend returns decisions again", fields: ["app": .string(app)])
        }
        let remedy =
            change == .opened
            ? "check the backend of apps[].verify.url; Deskgate retries by itself"
            : "if others send junk keys, let the backend answer them 401, 403 or 404; meanwhile it gets at most ten new keys a second"
        services.logger.log(
            .warning, message: change == .opened ? "a backend returns no decisions" : "a backend fails for new keys",
            fields: [
                "app": .string(app), "reason": .string(failure.reason.rawValue), "cause": .string(failure.cause),
                "when_undecided": .string(settings.whenUndecided.rawValue), "remedy": .string(remedy),
            ])
    }
}
