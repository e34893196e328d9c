internal import Configuration
internal import Core
internal import Time

/// Collects the facts of explanations. Each query reads a limited part of the store.
extension AdminContext {
    func facts(key text: String, userID: String?, appID: String?) throws(StoreError) -> KeyFacts {
        let authorizer = state.authorizer
        var facts = KeyFacts(appID: appID, userID: userID, key: SecurityKey(text.utf8.span), now: now.seconds)
        facts.policy = authorizer.policy
        guard let appID else { return facts }
        place(&facts, in: appID)
        do throws(StoreError) {
            facts.revocations = try RevocationSearch(store, appID: appID, userID: userID, key: facts.key)
            if let userID {
                let person = DeviceFilter(appID: appID, userID: userID, deviceID: nil)
                facts.isWithoutDevice = try store.devices(person, after: nil, limit: 1).isEmpty
            }
        } catch {
            facts.storeProblem = error.description
        }
        if let userID {
            let decision = authorizer.authorize(
                appID: appID.utf8.span, userID: userID.utf8.span, securityKey: text.utf8.span, now: now.seconds,
                revocations: try revocations())
            facts.verdict = authorizer.applyingShadowMode(to: decision, now: now.seconds).verdict
            recall(&facts, appID: appID, userID: userID)
        }
        return facts
    }

    /// Adds the app, and whether its chat is closed.
    func place(_ facts: inout KeyFacts, in appID: String) {
        let authorizer = state.authorizer
        if let index = authorizer.index(of: appID.utf8.span) {
            let application = authorizer.applications[index]
            facts.application = application
            facts.policy = authorizer.policy.narrowed(by: application.life)
        } else {
            facts.similarApp = NearestWord.nearest(to: appID, in: state.names.apps)
        }
        facts.closing = closing(appID)
        let app = state.configuration.app(appID)
        facts.mintingEnd = app?.lastMinting
        let verify = app?.verify
        facts.backend = verify?.origin
        facts.whenUndecided = verify?.whenUndecided ?? .error
        facts.backendStatus = backend(appID)
    }

    /// Adds the responses to the person's latest requests. Waits some seconds for other replicas.
    func recall(_ facts: inout KeyFacts, appID: String, userID: String) {
        facts.authorizations = authorizations(appID, userID).map { .known($0) } ?? .unknown
        facts.limits = state.configuration.pushTokens.limits
        facts.reference = userReference(appID, userID)
    }

    func facts(userID: String, app: Configuration.App) throws(StoreError) -> UserFacts {
        var key = KeyFacts(appID: app.id, userID: userID, now: now.seconds)
        place(&key, in: app.id)
        key.revocations = try RevocationSearch(store, appID: app.id, userID: userID, key: nil)
        let most = ExplainAction.maximumDevices
        let devices = try store.devices(DeviceFilter(appID: app.id, userID: userID, deviceID: nil), after: nil, limit: most + 1)
        key.isWithoutDevice = devices.isEmpty
        var filter = DeliveryFilter()
        (filter.appID, filter.userID) = (app.id, userID)
        let search = try DeliverySearch(store, filter, wanted: ExplainAction.maximumDeliveries) { _ in true }
        recall(&key, appID: app.id, userID: userID)
        return UserFacts(
            key: key, app: app, audience: audience(app), stopping: stopping(app.id), session: sessionFacts(userID, app),
            devices: Array(devices.prefix(most)), hasMoreDevices: devices.count > most,
            registration: state.configuration.pushTokens, limitUses: try limitUses(userID, app.id), deliveries: try facts(search.found),
            search: search.step("deskgate deliveries list --app \(TextFragments.word(app.id)) --user \(TextFragments.word(userID))"),
            botCalls: try BotCallFacts(store, of: AppUser(appID: app.id, userID: userID)))
    }

    /// Returns the problems that may keep out comments of an app now. Unknown outside the service.
    private func stopping(_ appID: String) -> [Problem] { problems()?.stoppingComments(of: appID) ?? [] }

    private func sessionFacts(_ userID: String, _ app: Configuration.App) -> SessionFacts? {
        guard let sendbird = app.sendbird else { return nil }
        guard let settings = sendbird.sessionTokens else { return .off }
        return sessions(app.id, userID).map { .known(settings, $0) } ?? .unknown
    }

    private func limitUses(_ userID: String, _ appID: String) throws(StoreError) -> [LimitUse] {
        let calls = try store.registrationCalls(of: AppUser(appID: appID, userID: userID), devices: [])
        return state.configuration.pushTokens.limits.filter { $0.scope == .user }.map { LimitUse($0, calls.user, now: now) }
    }

    /// Looks up a comment by an index.
    func facts(comment: HelpDeskID, app: Configuration.App) throws(StoreError) -> CommentFacts {
        var filter = DeliveryFilter()
        (filter.appID, filter.commentID) = (app.id, comment)
        let page = try store.page(of: filter, after: nil, limit: ExplainAction.maximumPerComment)
        var devices: [Device] = []
        if let userID = page.deliveries.lazy.map(\.event.userID).first(where: { !$0.isEmpty }) {
            let person = DeviceFilter(appID: app.id, userID: userID, deviceID: nil)
            devices = try store.devices(person, after: nil, limit: ExplainAction.maximumDevices)
        }
        return CommentFacts(
            comment: comment, app: app, keep: state.configuration.deliveries, now: now, audience: audience(app), stopping: stopping(app.id),
            deliveries: try facts(page.deliveries.reversed()),
            forgottenIncoming: page.deliveries.isEmpty ? try store.incoming(ofForgotten: comment, appID: app.id) : nil,
            hasMore: page.next != nil, devices: devices)
    }

    func facts(deviceID: String, userID: String?, app: Configuration.App) throws(StoreError) -> DeviceFacts {
        let devices = try DeviceSearch(store, appID: app.id, userID: userID, deviceID: deviceID)
        var filter = DeliveryFilter()
        (filter.appID, filter.userID) = (app.id, userID)
        let search = try DeliverySearch(store, filter, wanted: ExplainAction.maximumDeliveries) { delivery in
            delivery.deviceID.map { $0.utf8.elementsEqual(deviceID.utf8) } == true
        }
        let owner = AppUser(appID: app.id, userID: userID ?? devices.found.first?.key.userID ?? "")
        let calls = try store.registrationCalls(of: owner, devices: [deviceID])
        let uses = state.configuration.pushTokens.limits.compactMap { limit -> LimitUse? in
            switch limit.scope {
            case .device: calls.devices.first.map { LimitUse(limit, $0, now: now) }
            case .user: userID == nil ? nil : LimitUse(limit, calls.user, now: now)
            case .app, .service: nil
            }
        }
        let revocations = try userID.map { userID throws(StoreError) in
            try RevocationSearch(store, appID: app.id, userID: userID, key: nil).found
        }
        let application = state.authorizer.index(of: app.id.utf8.span).map { state.authorizer.applications[$0] }
        return DeviceFacts(
            deviceID: deviceID, userID: userID, app: app, audience: audience(app), stopping: stopping(app.id),
            registration: state.configuration.pushTokens, devices: Array(devices.found.prefix(ExplainAction.maximumDevices)),
            isCut: devices.isCut, deliveries: try facts(search.found),
            search: search.step("deskgate deliveries list --app \(TextFragments.word(app.id))"), limitUses: uses,
            keepingOut: revocations?.first { $0.denies(of: application, at: now.seconds) }, now: now.seconds)
    }

    func explanation(of id: UUIDv7) throws(StoreError) -> Explanation {
        guard let story = try store.story(of: id) else { return Explanation(unknownDelivery: state.configuration.deliveries) }
        return Explanation(try facts(story.delivery, attempts: story.attempts, problems: problems()))
    }

    private func facts(_ deliveries: some Sequence<Delivery>) throws(StoreError) -> [DeliveryFacts] {
        let problems = problems()
        var facts: [DeliveryFacts] = []
        for delivery in deliveries {
            facts.append(try self.facts(delivery, attempts: try store.story(of: delivery.id)?.attempts ?? [], problems: problems))
        }
        return facts
    }

    private func facts(
        _ delivery: Delivery, attempts: [DeliveryAttempt], problems: ProblemSearch?
    ) throws(StoreError) -> DeliveryFacts {
        var facts = DeliveryFacts(delivery, attempts: attempts, problems: problems, context: self)
        let (appID, userID) = (delivery.event.identity.appID, delivery.event.userID)
        guard delivery.state == .noTarget, !userID.isEmpty else { return facts }
        let person = DeviceFilter(appID: appID, userID: userID, deviceID: nil)
        let audience = CommentAudience(of: appID, state.configuration)
        facts.isServedNow = try store.devices(person, after: nil, limit: ExplainAction.maximumDevices).contains {
            audience.serves($0.type, by: delivery.notifier)
        }
        return facts
    }

    private func audience(_ app: Configuration.App) -> CommentAudience { CommentAudience(of: app.id, state.configuration) }
}

extension Configuration.Verify {
    /// Scheme, host and port of the address; a path may hold a secret.
    var origin: String {
        let parts = url.utf8.split(separator: UInt8(ascii: "/"), maxSplits: 3, omittingEmptySubsequences: false)
        return parts.prefix(3).map { String(Substring($0)) }.joined(separator: "/")
    }
}
