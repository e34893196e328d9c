internal import Configuration
package import Core
internal import HTTPServer
internal import JSON
internal import Notifiers
internal import Threading
package import Time

package struct NotifierStatus: Sendable {
    package let name: String
    package let state: BreakerStatus
    /// The cause of the pause, and its remedy; nil if the notifier is not paused.
    package let pause: (reason: String, remedy: String)?
    /// The reason of the last attempt that failed because of the notifier; empty if there is none.
    package let lastFailure: String
    /// The reason why the settings may be wrong: a rejection after which no delivery has arrived; nil if there is none.
    package let settingsProblem: String?
    /// The expiry of the notifier's certificate; nil if it has none.
    package let credentialExpiresAt: UnixSeconds?
    /// The earliest time of the next attempt; nil if an attempt is allowed now, or if the time alone does not allow it.
    package let nextAttemptAt: UnixMilliseconds?

    package init(
        name: String, state: BreakerStatus, pause: (reason: String, remedy: String)?, lastFailure: String, settingsProblem: String?,
        credentialExpiresAt: UnixSeconds?, nextAttemptAt: UnixMilliseconds? = nil
    ) {
        self.name = name
        self.state = state
        self.pause = pause
        self.lastFailure = lastFailure
        self.settingsProblem = settingsProblem
        self.credentialExpiresAt = credentialExpiresAt
        self.nextAttemptAt = nextAttemptAt
    }
}

extension NotifierStatus {
    /// `GET /v1/notifiers`. The answer comes from memory, so it does not depend on the store's disk.
    static let route = AdminRoute(
        .get, path: "/v1/notifiers", role: .read, summary: "The notifiers, each with its state and its pending deliveries.",
        parameters: [Language.parameter],
        answer: AdminRoute.Answer(
            ["notifiers"],
            [
                "notifiers": Schema.array(
                    Schema.object([
                        ("name", Schema.text), ("type", AdminSchema.maybeText), ("apps", Schema.array(Schema.text)),
                        ("can_test", AdminSchema.flag), ("state", AdminSchema.maybeText), ("reason", AdminSchema.maybeText),
                        ("meaning", AdminSchema.maybeText),
                        ("remedy", AdminSchema.maybeText), ("pending", Schema.nullable(AdminSchema.count)),
                        ("oldest_at", AdminSchema.maybeTime), ("credential_expires_at", Schema.nullable(AdminSchema.count)),
                    ]))
            ],
            text:
                "The notifiers by name; pending and oldest_at are null while the store cannot be read, and a notifier that is not "
                + "configured is listed, without type and state, as long as deliveries wait for it; so does Deskgate's own one, "
                + "owner:lookup, without type."),
        handling: .fromMemory { request, _, listener in Language.answer(request) { answer(listener.services, $0) } })

    private static func answer(_ services: AdminServices, _ language: Language) -> Response {
        let pending = (try? services.store.pending()).map { waiting in
            Dictionary(waiting.map { (ByteKey($0.notifier), $0) }) { first, _ in first }
        }
        let list = list(services.state.current, statuses: services.notifiers(), pending: pending, language: language)
        return Response(status: 200, json: ["notifiers": list], headers: [("Cache-Control", "no-store")])
    }

    /// Returns the cause of the pause, and the remedy as logged, each as the end of a sentence.
    private func pauseMeaning(_ configuration: Configuration) -> (text: LocalizedText, remedy: LocalizedText)? {
        pause.map { pause in
            let meaning = ReasonMeaning.ofPause(pause.reason, configuration.notifier(name))
            return (meaning.text, LocalizedText("\(pause.remedy)", "\(meaning.remedy ?? LocalizedText(verbatim: pause.remedy))"))
        }
    }

    private static func list(
        _ state: OperatorState, statuses: [NotifierStatus], pending: [ByteKey: PendingDeliveries]?, language: Language
    ) -> JSONValue {
        let configured = state.notifiers
        let statuses = Dictionary(statuses.map { (ByteKey($0.name), $0) }) { first, _ in first }
        let known = Dictionary(configured.map { (ByteKey($0.name), $0) }) { first, _ in first }
        let names = Set(known.keys).union(pending.map { Array($0.keys) } ?? []).sorted()
        return .array(
            names.map { name in
                let (notifier, status, waiting) = (known[name], statuses[name], pending?[name])
                let meaning = status?.pauseMeaning(state.configuration)
                return [
                    "name": .string(name.text), "type": notifier.map { .string($0.type) } ?? .null,
                    "apps": .array((notifier?.apps ?? []).map { .string($0) }), "can_test": .bool(notifier?.takesTests ?? false),
                    "state": status.map { .string($0.state.rawValue) } ?? .null,
                    "reason": status?.pause.map { .string($0.reason) } ?? .null,
                    "meaning": JSONValue(meaning?.text, in: language), "remedy": JSONValue(meaning?.remedy, in: language),
                    "pending": pending == nil ? .null : .integer(Int64(waiting?.count ?? 0)),
                    "oldest_at": waiting.map { .string(RFC3339.text($0.oldestReceivedAt)) } ?? .null,
                    "credential_expires_at": status?.credentialExpiresAt.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
                ]
            })
    }
}
