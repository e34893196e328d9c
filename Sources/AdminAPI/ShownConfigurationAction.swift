internal import Configuration
package import Core
internal import HTTPClient
internal import HTTPServer
internal import JSON
internal import Threading

/// Returns the active configuration.
package struct ShownConfigurationAction: AdminAction {
    /// `GET /v1/configuration`. The answer comes from memory, so it does not depend on the store's disk.
    static let route = AdminRoute(
        .get, path: "/v1/configuration", role: .read, summary: "The configuration in force, without its secrets.",
        answer: AdminRoute.Answer(
            ["configuration", "files", "settings"],
            [
                "configuration": AdminSchema.anyObject, "files": Schema.array(Schema.text),
                "settings": Schema.array(
                    Schema.object([
                        ("path", Schema.text), ("value", Schema.any),
                        ("from", Schema.choice(of: ConfigurationSetting.Origin.self)),
                    ])),
            ],
            text: "The file's object, the names of the files that were read for it, and every key with its value or its default."),
        handling: .fromMemory { _, _, listener in
            Response(status: 200, json: answer(listener.services.state.current).json, headers: [("Cache-Control", "no-store")])
        })

    package init() {}

    package var request: AdminRequest { AdminRequest(.get, "\(Self.route.path)") }

    package var change: String? { nil }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer { Self.answer(context.state) }

    private static func answer(_ state: OperatorState) -> AdminAnswer {
        AdminAnswer([
            "configuration": state.shown.value, "files": .array(state.shown.files.map { .string($0) }),
            "settings": .array(state.configuration.settings.map(\.json)),
        ])
    }
}

/// Returns the changes that a reload would make now: the service reads its file again, and compares it with the active configuration.
package struct ConfigurationChangesAction: AdminAction {
    static let route = AdminRoute(
        .get, path: "/v1/configuration/changes", role: .read,
        summary: "What a reload would change now, or why it would be refused. Nothing changes; the service only reads its files.",
        answer: AdminRoute.Answer(
            ["file", "problems", "restart", "differences"],
            [
                "file": Schema.text,
                "problems": Schema.array(Schema.object([("path", Schema.text), ("message", Schema.text)])),
                "restart": Schema.array(Schema.text),
                "differences": Schema.array(
                    Schema.object([
                        ("path", Schema.text), ("in_force", Schema.any), ("file", Schema.any),
                        ("takes_effect", Schema.choice(of: ConfigurationDifference.Effect.self)), ("content", AdminSchema.flag),
                    ])),
            ],
            text: "The file, its mistakes, the keys that only a restart takes over, for which a reload is refused as a whole, and each "
                + "difference. Values are masked; a difference between masked values is reported as well. content means that the key names the "
                + "same file, which holds something else."),
        handling: .fromStore { _ throws(AdminProblem) in ConfigurationChangesAction() })

    package init() {}

    package var request: AdminRequest { AdminRequest(.get, "\(Self.route.path)") }

    package var change: String? { nil }

    package func perform(in context: AdminContext) throws(StoreError) -> AdminAnswer {
        let inForce = context.state.configuration
        guard let file = inForce.sources.files.first else { return AdminAnswer(Self.json(file: "")) }
        do throws(ConfigurationError) {
            let next = try Configuration(contentsOf: file)
            return AdminAnswer(
                Self.json(file: file, restart: inForce.fixedKeys(differingFrom: next), differences: inForce.differences(to: next)))
        } catch {
            return AdminAnswer(Self.json(file: file, problems: error.problems))
        }
    }

    private static func json(
        file: String, problems: [ConfigurationProblem] = [], restart: [String] = [], differences: [ConfigurationDifference] = []
    ) -> JSONValue {
        [
            "file": .string(file), "problems": .array(problems.map { ["path": .string($0.path), "message": .string($0.message)] }),
            "restart": .array(restart.map { .string($0) }), "differences": .array(differences.map(\.json)),
        ]
    }
}
