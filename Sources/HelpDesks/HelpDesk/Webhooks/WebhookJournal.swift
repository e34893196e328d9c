package import Core
package import HTTPServer
package import Observability
internal import Threading
internal import Time

/// Counts and logs the results of webhooks, without text that a caller chose.
package final class WebhookJournal: Sendable {
    package let answers = WebhookAnswers()
    private let services: HelpDeskServices
    /// The interval between log lines about the same member of an app, because a changed type appears in every webhook of the help desk.
    private static let memberLogMilliseconds: UInt64 = 3_600_000
    private let lastLogged = Monitor<[String: MonotonicMilliseconds]>([:])

    package init(_ services: HelpDeskServices) {
        self.services = services
    }

    /// Counts and logs a webhook that its sender must correct.
    /// - Parameters:
    ///   - reason: one of few, because lines are sampled by reason.
    ///   - kind: samples lines together; by default `reason`.
    ///   - app: nil when unknown.
    package func refuse(
        _ cause: WebhookRefusal, counters: LabelledCounters<WebhookResult>, reason: String, kind: String? = nil, app: String?,
        request: borrowing Request, context: RequestContext
    ) {
        services.metrics.webhookRefusals.child(app ?? "", cause.rawValue).increment()
        let more: LogFields = ["peer": .string(request.peer()), "remedy": .string(cause.remedy(of: app).english)]
        note(
            cause.isOfBody ? .malformed : .denied, counters: counters, level: .warning, reason: reason, kind: kind, app: app, more: more,
            context: context)
    }

    /// Counts and logs a webhook of which no data is stored. The parameters are those of `refuse`.
    package func note(
        _ result: WebhookResult, counters: LabelledCounters<WebhookResult>, level: LogLevel, reason: String, kind: String? = nil,
        app: String?, more: LogFields = [:], context: RequestContext
    ) {
        counters.increment(result)
        guard level >= services.logger.level else { return }
        var fields: LogFields = ["result": .string(result.rawValue), "reason": .string(reason)]
        if let app { fields.append("app", .string(app)) }
        fields.append(more)
        context.append(to: &fields)
        services.denials.log(level, message: "webhook", reason: kind ?? reason, fields: fields)
    }

    /// Counts and logs optional members of a genuine webhook that could not be read.
    /// - Parameter members: `WebhookFields.leftOut`.
    package func leaveOut(_ members: [String], app: String, _ context: RequestContext) {
        for member in members {
            services.metrics.skippedWebhookMembers.child(app, member).increment()
            guard isDue("\(app) \(member)") else { continue }
            var fields: LogFields = ["member": .string(member), "app": .string(app)]
            context.append(to: &fields)
            services.logger.log(.warning, message: "a member of a webhook has an unexpected type and was ignored", fields: fields)
        }
    }

    private func isDue(_ member: String) -> Bool {
        let now = services.clocks.monotonicMilliseconds()
        return lastLogged.withLock { lastLogged in
            if let last = lastLogged[member], now.elapsed(since: last) < Self.memberLogMilliseconds { return false }
            lastLogged[member] = now
            return true
        }
    }

    /// Counts and logs a genuine webhook that needs no action.
    /// - Parameter reason: one of few, if an operator may miss the event; such lines are logged at the default level, and sampled.
    package func ignore(
        _ counters: LabelledCounters<WebhookResult>, reason: String? = nil, app: String, _ context: RequestContext
    ) -> Response {
        if let reason {
            note(.ignored, counters: counters, level: .info, reason: reason, app: app, context: context)
            return answers.ignored
        }
        counters.increment(.ignored)
        var fields: LogFields = ["result": .string("ignored"), "app": .string(app)]
        context.append(to: &fields)
        services.logger.log(.debug, message: "webhook", fields: fields)
        return answers.ignored
    }

    /// Counts and logs a durable webhook.
    /// - Parameter event: the event of this webhook, or of the earlier one that it repeats; nil for none.
    package func store(
        _ result: WebhookResult, counters: LabelledCounters<WebhookResult>, app: String, event: UUIDv7?, level: LogLevel = .debug,
        more: LogFields = [:], context: RequestContext
    ) {
        counters.increment(result)
        guard services.logger.level <= level else { return }
        var fields: LogFields = ["result": .string(result.rawValue), "app": .string(app)]
        fields.append(more)
        if let event { fields.append("event", .string(event.description)) }
        context.append(to: &fields, isStored: result != .duplicate)
        services.logger.log(level, message: "webhook", fields: fields)
    }

    package func fail(
        _ error: StoreError, counters: LabelledCounters<WebhookResult>, app: String, context: RequestContext
    ) -> Response {
        counters.increment(.unavailable)
        var fields: LogFields = [
            "result": .string("unavailable"), "reason": .string(error.kind.rawValue), "app": .string(app),
            "detail": .string(error.description),
        ]
        context.append(to: &fields)
        services.logger.log(.error, message: "webhook", fields: fields)
        return answers.refusals.response(error.kind)
    }
}
