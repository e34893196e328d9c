internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import POSIX
internal import Threading
internal import Time

/// The configuration in force, and the last attempt to replace it, for operators.
final class ConfigurationRecord: Sendable {
    private struct State {
        var inForce: Configuration
        var loadedAt: UnixMilliseconds
        /// The refusal of the last attempt; nil when it succeeded.
        var refusal: RefusedReload?
    }

    private let clocks: Clocks
    private let state: Monitor<State>

    init(_ configuration: Configuration, clocks: Clocks) {
        self.clocks = clocks
        state = Monitor(State(inForce: configuration, loadedAt: clocks.unixMilliseconds()))
    }

    /// Records that a configuration is in force now.
    func noteLoaded(_ configuration: Configuration) {
        let now = clocks.unixMilliseconds()
        state.withLock { $0 = State(inForce: configuration, loadedAt: now) }
    }

    /// Records that an attempt to replace it failed.
    /// - Parameters:
    ///   - reasons: the reasons as in the log.
    ///   - keys: keys that need a restart; empty when there are other reasons.
    func noteRefused(_ reasons: [String], keys: [String] = []) {
        let refusal = RefusedReload(at: clocks.unixMilliseconds(), reasons: reasons, keys: keys)
        state.withLock { $0.refusal = refusal }
    }

    var outcome: JSONValue {
        let (configuration, refusal) = state.withLock { ($0.inForce, $0.refusal) }
        let file = JSONValue.string(Self.file(of: configuration))
        guard let refusal else { return ["status": "reloaded", "file": file, "apps": .integer(Int64(configuration.apps.count))] }
        return [
            "status": "refused", "file": file, "reasons": .array(refusal.reasons.map { .string($0) }),
            "count": .integer(Int64(refusal.count)),
        ]
    }

    /// The absolute path of a configuration, which identifies a service.
    private static func file(of configuration: Configuration) -> String {
        configuration.sources.files.first.map(wholePath) ?? ""
    }

    /// The absolute path of a file whose given path may be relative to the service's directory.
    static func wholePath(of file: String) -> String {
        Path.resolve(file, in: (try? FileSystem.absolutePath(of: ".")) ?? ".")
    }

    var configuration: Configuration { state.withLock { $0.inForce } }

    var loadedAt: UnixMilliseconds { state.withLock { $0.loadedAt } }

    /// Whether the last attempt succeeded; the start counts as one.
    var hasSucceeded: Bool { state.withLock { $0.refusal == nil } }

    /// The refusal of the last attempt; nil when it succeeded.
    var refusal: RefusedReload? { state.withLock { $0.refusal } }

    var appCount: Int { state.withLock { $0.inForce.apps.count } }

    /// The member `configuration` of `GET /v1/status`.
    func json(in language: Language) -> JSONValue {
        let (configuration, loadedAt, refusal) = state.withLock { ($0.inForce, $0.loadedAt, $0.refusal) }
        let warnings = configuration.reportedWarnings(now: clocks.unixSeconds())
        return [
            "loaded_at": .string(RFC3339.text(loadedAt)), "refused": refusal.map(Self.json) ?? .null,
            "warnings": .array(warnings.map { ["path": .string($0.path), "message": .string($0.message.text(in: language))] }),
        ]
    }

    private static func json(_ refusal: RefusedReload) -> JSONValue {
        [
            "at": .string(RFC3339.text(refusal.at)), "reasons": .array(refusal.reasons.map { .string($0) }),
            "count": .integer(Int64(refusal.count)),
        ]
    }
}
