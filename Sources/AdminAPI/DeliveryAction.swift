package import Core
internal import JSON
package import Time

package enum DeliveryAction: Sendable, Equatable {
    /// Lists matching deliveries, newest first, at most `limit`, after the end of an earlier page.
    case list(DeliveryFilter, after: DeliveryCursor?, limit: Int, in: Language = .english)
    case show(UUIDv7, in: Language = .english)
    case retryOne(UUIDv7)
    /// Retries a step of the matching dead deliveries: those of a set from its last position on, or the first ones of a new set, which
    /// contains all that match now.
    case retry(DeliveryFilter, after: RetryCursor? = nil)
    /// Deletes deliveries that ended in this state before this time; nil is now.
    case purge(Delivery.State, before: UnixMilliseconds?)
    /// Marks pending deliveries of this notifier as dead, with the reason `purged`.
    case giveUp(notifier: String)

    /// Makes a list action.
    /// - Parameter after: `next` of an earlier page.
    package static func listing(
        _ filter: DeliveryFilter, after: String?, limit: Int?, in language: Language = .english
    ) throws(AdminProblem) -> DeliveryAction {
        let place = try after.map { text throws(AdminProblem) in
            guard let cursor = DeliveryCursor(text) else { throw AdminProblem("after", "expected the value of next from an earlier list.") }
            return cursor
        }
        return .list(filter, after: place, limit: limit ?? AdminAnswer.defaultLimit, in: language)
    }

    /// Makes a purge action.
    /// - Parameters:
    ///     - state: `delivered`, `no_target` or `dead` deletes; `pending`, with a notifier, marks as dead instead.
    ///     - before: an RFC 3339 time; nil is now.
    package static func purging(state: String?, before: String?, notifier: String? = nil) throws(AdminProblem) -> DeliveryAction {
        if let notifier { return try givingUp(notifier, state: state, before: before) }
        let time = try before.map { text throws(AdminProblem) in try DeliveryCriteria.time("before", text) }
        let state = try state.map { text throws(AdminProblem) in try DeliveryCriteria.state(text) }
        guard let state, state != .pending else {
            throw AdminProblem("state", "expected delivered, no_target or dead, or pending and a notifier.")
        }
        return .purge(state, before: time)
    }
}

extension DeliveryAction {
    /// Creates the action that purges pending deliveries of a notifier, for example of one that was removed from the configuration. It must
    /// name the notifier and accepts no time, so that pending deliveries are not purged by mistake.
    static func givingUp(_ notifier: String, state: String?, before: String?) throws(AdminProblem) -> DeliveryAction {
        guard let state, try DeliveryCriteria.state(state) == .pending, before == nil else {
            throw AdminProblem("notifier", "goes with \(field: "state") pending, and without \(field: "before").")
        }
        return .giveUp(notifier: notifier)
    }
}

extension DeliveryAction: AdminAction {
    private static let purgedPerStep = 500
    /// The maximum number of deliveries that one request retries.
    static let retriedPerStep = 1000

    package var change: String? {
        switch self {
        case .list, .show: nil
        case .retryOne, .retry: "deliveries.retry"
        case .giveUp: "deliveries.give_up"
        case .purge: "deliveries.purge"
        }
    }

    package var shortening: String {
        guard case .list(let filter, _, _, _) = self, filter.commentID == nil || filter.appID == nil else {
            return "request fewer with limit"
        }
        return "name the comment with app_id and comment_id, which an index finds, or request fewer with limit"
    }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        switch self {
        case .list(let filter, let after, let limit, let language):
            return try Self.list(filter, after: after, limit: limit, language: language, context: context)
        case .show(let id, let language):
            guard let story = try context.store.story(of: id) else { return .unknown }
            return AdminAnswer(.object(story.json(context, in: language)))
        case .retryOne(let id): return try Self.retry(id, context)
        case .retry(let filter, let after): return try Self.retry(filter, after: after, context: context)
        case .giveUp(let notifier): return try Self.giveUp(notifier, context)
        case .purge(let state, let before):
            return try Self.purged { limit throws(StoreError) in
                try context.store.forget(state, endedBefore: before ?? context.now, limit: limit)
            }
        }
    }

    private static func list(
        _ filter: DeliveryFilter, after: DeliveryCursor?, limit: Int, language: Language, context: AdminContext
    ) throws(StoreError) -> AdminAnswer {
        let page = try context.store.page(of: filter, after: after, limit: limit)
        if page.deliveries.isEmpty, page.next == nil, let problem = try context.problem(in: filter) { return problem }
        return AdminAnswer([
            "deliveries": .array(page.deliveries.map { .object($0.json(context, in: language)) }),
            "next": page.next.map { .string($0.description) } ?? .null,
        ])
    }

    private static func giveUp(_ notifier: String, _ context: AdminContext) throws(StoreError) -> AdminAnswer {
        var filter = DeliveryFilter()
        filter.notifier = notifier
        if let problem = try context.problem(in: filter) { return problem }
        return try purged { limit throws(StoreError) in
            let count = try context.store.giveUpPending(notifier: notifier, now: context.now, limit: limit)
            context.onGivenUp(count, notifier, .purged)
            return count
        }
    }

    private static func retry(_ id: UUIDv7, _ context: AdminContext) throws(StoreError) -> AdminAnswer {
        var filter = DeliveryFilter()
        filter.id = id
        let step = try context.store.retryAll(filter, now: context.now, expiresAt: expiry(context))
        if step.retried > 0 { return AdminAnswer(.retried(step.retried)) }
        if let obstacle = step.kept.keys.first { return .kept(obstacle) }
        return try context.store.story(of: id) == nil ? .unknown : .notDead
    }

    private static func retry(
        _ filter: DeliveryFilter, after: RetryCursor?, context: AdminContext
    ) throws(StoreError) -> AdminAnswer {
        var set = after
        if set == nil {
            set = try DeadGroups(filter, in: context.store, until: .max).set
            if set == nil, let problem = try context.problem(in: filter) { return problem }
        }
        guard let set else { return .retried(RetryStep(), total: 0, next: nil) }
        var filter = filter
        (filter.state, filter.endedBy) = (.dead, set.endedBy)
        let step = try context.store.retry(
            filter, after: set.place, limit: retriedPerStep, now: context.now, expiresAt: expiry(context))
        return .retried(step, total: set.total, next: set.after(step))
    }

    private static func expiry(_ context: AdminContext) -> UnixMilliseconds {
        context.now.saturating(adding: context.state.registryAudience.lifetimeMilliseconds)
    }

    /// Purges in several transactions, between which other calls run.
    private static func purged(_ step: (_ limit: Int) throws(StoreError) -> Int) throws(StoreError) -> AdminAnswer {
        var purged = 0
        while true {
            let count = try step(purgedPerStep)
            purged += count
            if count < purgedPerStep { return AdminAnswer(.purged(purged)) }
        }
    }
}

extension AdminAnswer {
    /// A dead delivery that was not retried.
    fileprivate static func kept(_ obstacle: RetryObstacle) -> AdminAnswer {
        let message =
            switch obstacle {
            case .notifierQueueFull: "It stays dead: the queue of its notifier is full. Retry it when those that wait have arrived."
            case .queueFull: "It stays dead: the maximum number of deliveries is waiting. Retry it when they have arrived."
            case .forgotten: "It stays dead: its user was forgotten, so there is nothing to send."
            case .noDevice: "It stays dead: its device is not registered. Retry it when the person has opened the app."
            }
        return error(409, code: obstacle.rawValue, message: message)
    }

    /// The result of a step of a retry, and the size of the rest of the set.
    fileprivate static func retried(_ step: RetryStep, total: Int, next: RetryCursor?) -> AdminAnswer {
        var kept = JSONObject()
        for obstacle in RetryObstacle.allCases { kept.append(.integer(Int64(step.kept[obstacle] ?? 0)), forKey: obstacle.rawValue) }
        return AdminAnswer(
            [
                "retried": .integer(Int64(step.retried)), "kept": .object(kept), "total": .integer(Int64(total)),
                "left": .integer(Int64(next?.left ?? 0)), "next": next.map { .string($0.description) } ?? .null,
            ], change: .retried(step.retried))
    }
}
