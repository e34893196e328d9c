internal import AdminAPI
internal import JSON

/// The differences between the file of a running service and its active configuration, for `config show --diff`.
struct ConfigurationReport {
    private let changes: JSONObject
    private let status: JSONObject

    /// - Parameters:
    ///   - changes: the answer of `GET /v1/configuration/changes`.
    ///   - status: the member `configuration` of `GET /v1/status`.
    init(_ changes: JSONObject, _ status: JSONValue?) {
        self.changes = changes
        self.status = if case .object(let status)? = status { status } else { JSONObject() }
    }

    /// Whether the file and the active configuration are equal.
    var isEmpty: Bool { problems.isEmpty && restart.isEmpty && differences.isEmpty }

    /// The output of `--json`.
    var json: JSONValue {
        var object = changes
        for key in ["loaded_at", "refused"] { object.append(status[key] ?? .null, forKey: key) }
        return .object(object)
    }

    var text: String {
        (["The service has had its configuration since \(AdminText.text(status["loaded_at"])), from \(AdminText.text(changes["file"]))."]
            + refusal + [verdict] + table).joined(separator: "\n")
    }

    private var problems: [JSONValue] { list("problems") }
    private var restart: [JSONValue] { list("restart") }
    private var differences: [JSONValue] { list("differences") }

    private func list(_ key: String) -> [JSONValue] { if case .array(let elements)? = changes[key] { elements } else { [] } }

    private var refusal: [String] {
        guard case .object(let refused)? = status["refused"], case .array(let reasons)? = refused["reasons"] else { return [] }
        return ["The last reload was refused at \(AdminText.text(refused["at"])):"] + reasons.map { "  \(AdminText.text($0))" }
    }

    private var verdict: String {
        if !problems.isEmpty {
            let lines = problems.map { "  \(AdminText.text($0["path"])): \(AdminText.text($0["message"]))" }
            return (["A reload would be refused now, as the file has mistakes:"] + lines).joined(separator: "\n")
        }
        if isEmpty { return "The file says the same." }
        return restartVerdict ?? "deskgate reload takes this over:"
    }

    /// The sentence about changed keys that require a restart; nil when there are none.
    var restartVerdict: String? {
        guard !restart.isEmpty else { return nil }
        let parts = restart.map { AdminText.text($0) }.joined(separator: ", ")
        return "A reload would be refused as a whole, because only a restart takes over \(parts)."
    }

    private var table: [String] {
        guard !differences.isEmpty else { return [] }
        let rows = differences.map { difference -> JSONValue in
            let (before, now) = (difference["in_force"], difference["file"])
            let isContent = difference["content"] == true
            return [
                "path": difference["path"] ?? .null, "before": .string(Self.text(before)), "by": difference["takes_effect"] ?? .null,
                "now": .string(
                    isContent ? "\(Self.text(now)) (its content)" : before == now ? "\(Self.text(now)) (changed)" : Self.text(now)),
            ]
        }
        return [AdminText.table(rows, [("KEY", "path"), ("NEEDS", "by"), ("IN FORCE", "before"), ("IN THE FILE", "now")])]
    }

    /// Returns a value as JSON; a dash when there is no value.
    static func text(_ value: JSONValue?) -> String {
        guard let value, value != .null else { return "-" }
        return String(decoding: value.serialized(), as: UTF8.self)
    }
}
