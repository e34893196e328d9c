internal import Configuration
package import Core
internal import JSON

package struct ExplainAction: AdminAction, Equatable {
    enum Question: Sendable, Equatable {
        /// A security key, for a person if one is named.
        case key(String, userID: String?)
        case user(String)
        case comment(HelpDeskID)
        /// A device, of one person if one is named.
        case device(String, userID: String?)
        case delivery(UUIDv7)
    }

    static let maximumDevices = 20
    static let maximumDeliveries = 5
    static let maximumPerComment = 50

    let question: Question
    /// Nil for the only configured app.
    let appID: String?
    let language: Language

    /// Checks the fields, which must contain exactly one query.
    /// - Parameters:
    ///   - appID: nil for the only configured app; a delivery needs none.
    ///   - userID: the subject of the query, or the user of the key or device.
    ///   - commentID: an identity of the help desk.
    ///   - language: the code of a language for the answer's texts; nil for English.
    package init(
        appID: String?, userID: String?, securityKey: String? = nil, commentID: String? = nil, deviceID: String? = nil,
        deliveryID: String? = nil, language: String? = nil
    ) throws(AdminProblem) {
        self.language = try Language(parameter: language)
        self.appID = try appID.map { text throws(AdminProblem) in try PersonFields.app(text) }
        let person = try userID.map { text throws(AdminProblem) in try PersonFields.user(text) }
        let asked = [securityKey, commentID, deviceID, deliveryID].compactMap(\.self).count
        guard asked == 1 || (asked == 0 && person != nil) else {
            throw AdminProblem(
                nil,
                """
                Name one of \(field: "user_id"), \(field: "security_key"), \(field: "comment_id"), \(field: "device_id") and \
                \(field: "delivery_id").
                """)
        }
        guard person == nil || commentID == nil && deliveryID == nil else {
            throw AdminProblem(
                "user_id", "goes with neither \(field: "comment_id") nor \(field: "delivery_id"), which belong to one person already.")
        }
        if let securityKey {
            question = .key(securityKey, userID: person)
        } else if let commentID {
            question = .comment(try DeliveryCriteria.identity("comment_id", commentID))
        } else if let deviceID {
            guard !deviceID.isEmpty else { throw AdminProblem("device_id", "expected the device.") }
            question = .device(deviceID, userID: person)
        } else if let deliveryID {
            guard let id = UUIDv7(deliveryID) else { throw AdminProblem("delivery_id", "expected the id of a delivery.") }
            question = .delivery(id)
        } else {
            question = .user(person ?? "")
        }
    }

    package var change: String? { nil }

    /// The other replicas are queried about a person.
    package var waitingAppID: String? {
        switch question {
        case .user, .key(_, userID: _?): appID ?? ""
        case .key, .comment, .device, .delivery: nil
        }
    }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        let apps = context.state.names.apps
        let app = appID ?? (apps.count == 1 ? apps[0] : nil)
        switch question {
        case .key(let key, let userID):
            return AdminAnswer(.object(Explanation(try context.facts(key: key, userID: userID, appID: app)).json(in: language)))
        case .delivery(let id): return AdminAnswer(.object(try context.explanation(of: id).json(in: language)))
        case .user, .comment, .device: break
        }
        guard let app else { return .error(400, code: "malformed", message: "app_id: missing; more than one app is configured.") }
        guard let configured = context.state.configuration.app(app) else { return .unknownApp(app, apps) }
        return AdminAnswer(.object(try explanation(of: configured, context).json(in: language)))
    }

    private func explanation(of app: Configuration.App, _ context: AdminContext) throws(StoreError) -> Explanation {
        switch question {
        case .user(let userID):
            do throws(StoreError) {
                return Explanation(try context.facts(userID: userID, app: app))
            } catch {
                guard error.isAway else { throw error }
                return Explanation(try context.remembered(userID: userID, appID: app.id, error))
            }
        case .comment(let comment):
            let facts = try context.facts(comment: comment, app: app)
            return Explanation(facts).but(facts.isUnknown ? context.serviceProblem : nil)
        case .device(let deviceID, let userID):
            return Explanation(try context.facts(deviceID: deviceID, userID: userID, app: app)).but(context.serviceProblem)
        case .key, .delivery: preconditionFailure("queries that need no app are answered before")
        }
    }
}

extension StoreError {
    /// Whether the store is unavailable, so that only memory can answer.
    fileprivate var isAway: Bool {
        switch kind {
        case .corrupt, .unavailable, .notOpen, .inDoubt: true
        case .queueFull, .diskFull, .tooLong, .closed: false
        }
    }
}
