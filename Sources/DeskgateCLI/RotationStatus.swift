internal import AdminAPI
internal import Configuration
internal import Core
internal import JSON
internal import Service
internal import Time

/// The serving processes' information about the keys, if it could be read.
struct RotationStatus {
    struct Obstacle {
        let word: String
        let message: String
    }

    /// A process that shares the store with heartbeats older than this is not counted as serving.
    private static let silentSeconds = Int64(Replica.deadMilliseconds / 1000)

    /// The answer of `GET /v1/status`; nil when no process could be reached.
    private let status: JSONObject?
    /// The reason why no process could be reached.
    private let problem: String

    /// Queries the running service of a configuration, or its store when none runs.
    init(of configuration: Configuration) {
        do throws(AdminAccess.Failure) {
            let answer = try AdminAccess(configuration).perform(StatusAction())
            if answer.status == 200, case .object(let object) = answer.json {
                (status, problem) = (object, "")
            } else {
                (status, problem) = (nil, "the service refused the question (\(answer.status))")
            }
        } catch {
            (status, problem) = (nil, error.description)
        }
    }

    init(_ status: JSONObject?, problem: String = "") {
        (self.status, self.problem) = (status, problem)
    }

    /// Returns the condition that must be met before a step; nil when it is due.
    /// - Parameters:
    ///   - keysDigest: the digest of the keys in the configuration file.
    ///   - unusedSeconds: the time without use after which a key may be removed.
    func obstacle(to step: KeyRotation.Step, app: String, keysDigest: String, unusedSeconds: UInt64, now: UnixSeconds) -> Obstacle? {
        let behind = processes.filter { $0.keysDigest != keysDigest }.map(\.name)
        if !behind.isEmpty {
            return Obstacle(
                word: "reload",
                message: "\(behind.joined(separator: ", ")): the keys in force there are not those of this file yet; copy the file and the "
                    + "secrets there if they are kept on several machines, \(LocalizedText.reload.english) there, then run this again")
        }
        if case .add = step { return nil }
        guard status != nil else {
            return Obstacle(
                word: "unknown",
                message: "the keys in force and in use could not be read: \(problem); if every replica has been reloaded, "
                    + "use --force")
        }
        guard case .retire(let keyID) = step, unusedSeconds > 0 else { return nil }
        return obstacle(toRetiring: keyID, app, unusedSeconds: unusedSeconds, now: now)
    }

    private func obstacle(toRetiring keyID: UInt32, _ app: String, unusedSeconds: UInt64, now: UnixSeconds) -> Obstacle? {
        let key = key(keyID, app)
        guard let since = key?.integer("known_since") else {
            return Obstacle(
                word: "unknown",
                message: "it is not known yet when key \(keyID) was last used: no service has recorded it, or the one that answers has not "
                    + "read its store since it was started; serve with the key, then run this again")
        }
        let used = key?.integer("last_used")
        let last = UnixSeconds(rawValue: UInt64(max(0, max(since, used ?? 0))))
        guard now.elapsed(since: last) < unusedSeconds else { return nil }
        let what = used == nil ? "is recorded only since \(Self.text(last)), without any use" : "was last used at \(Self.text(last))"
        return Obstacle(
            word: "in_use",
            message: "key \(keyID) \(what); it may be removed after \(unusedSeconds / 86_400) days without use, from "
                + "\(Self.text(last + unusedSeconds)) on, or with --force: then clients that still use it are denied")
    }

    /// The ids of an app's keys whose security keys are all revoked; empty while no process can be reached.
    func revokedKeys(of app: String) -> [UInt32] {
        keys(of: app).filter { $0.text("state") == "revoked" }.compactMap { $0.integer("key_id").flatMap { UInt32(exactly: $0) } }
    }

    private func key(_ keyID: UInt32, _ app: String) -> JSONObject? { keys(of: app).first { $0.integer("key_id") == Int64(keyID) } }

    private func keys(of app: String) -> [JSONObject] {
        (status?.objects("keys") ?? []).filter { $0.text("app_id")?.utf8.elementsEqual(app.utf8) == true }
    }

    /// The serving processes: the answering one, and those recorded in its store.
    var processes: [(name: String, keysDigest: String?)] {
        guard let status else { return [] }
        let replicas = status.objects("replicas")
        var processes: [(name: String, keysDigest: String?)] = []
        if let digest = status.text("keys_digest") {
            let own = replicas.first { $0["answers"] == true }?.text("id")
            processes.append((own.map { "replica \($0) (which answers here)" } ?? "the service", digest))
        }
        for replica in replicas where replica["answers"] != true && (replica.integer("silent_seconds") ?? 0) < Self.silentSeconds {
            processes.append(("replica \(replica.text("id") ?? "")", replica.text("keys_digest")))
        }
        return processes
    }

    static func text(_ moment: UnixSeconds) -> String { RFC3339.text(moment.milliseconds) }
}

extension JSONObject {
    fileprivate func text(_ key: String) -> String? { if case .string(let text) = self[key] { text } else { nil } }

    fileprivate func integer(_ key: String) -> Int64? { if case .integer(let integer) = self[key] { integer } else { nil } }

    fileprivate func objects(_ key: String) -> [JSONObject] {
        guard case .array(let values) = self[key] else { return [] }
        return values.compactMap { if case .object(let object) = $0 { object } else { nil } }
    }
}
