package import Core
package import JSON
package import Time

package struct KeyStatus {
    static let members = ["keys", "keys_digest", "replicas"]

    private let authorizer: Authorizer
    private let uses: [KeyUse.Name: KeyUse]
    private let replicas: [Replica]
    private let revocations: Revocations
    private let isServing: Bool
    private let now: UnixSeconds

    /// Describes the keys of an authorizer.
    /// - Parameters:
    ///   - uses: the recorded uses, including uses of other keys.
    ///   - replicas: the processes that share the store.
    ///   - revocations: the active revocations, or the revocations of the store.
    ///   - isServing: whether this process authorizes with these keys.
    package init(
        _ authorizer: Authorizer, uses: [KeyUse], replicas: [Replica], revocations: Revocations, isServing: Bool, now: UnixSeconds
    ) {
        (self.now, self.revocations) = (now, revocations)
        self.authorizer = authorizer
        self.uses = Dictionary(uses.map { ($0.name, $0) }) { first, _ in first }
        self.replicas = isServing ? replicas : replicas.filter { !$0.isOwn }
        self.isServing = isServing
    }

    package func append(to status: inout JSONObject) {
        status.append(.array(authorizer.applications.flatMap(keys)), forKey: "keys")
        status.append(isServing ? .string(authorizer.keysDigest) : .null, forKey: "keys_digest")
        status.append(
            .array(
                replicas.map { replica in
                    [
                        "id": .string(replica.id), "answers": .bool(replica.isOwn),
                        "silent_seconds": .integer(Int64(clamping: replica.silentMilliseconds / 1000)),
                        "keys_digest": replica.keysDigest.map { .string($0) } ?? .null,
                    ]
                }), forKey: "replicas")
    }

    private func keys(of application: Application) -> [JSONValue] {
        let app = String(decoding: application.id, as: UTF8.self)
        return application.keys.map { key in
            let use = uses[KeyUse.Name(app: ByteKey(app), keyID: key.id)]
            return [
                "app_id": .string(app), "key_id": .integer(Int64(key.id)), "state": .string(state(of: key, application)),
                "not_after": Self.seconds(key.notAfter),
                "last_used": Self.seconds(use?.usedAt?.seconds),
                "known_since": Self.seconds(use?.since.seconds),
            ]
        }
    }

    private func state(of key: Application.Key, _ application: Application) -> String {
        if key.hasEnded(at: now) { return "ended" }
        return revocations.revokesAll(of: key.id, app: application.digest) ? "revoked" : key.state.rawValue
    }

    private static func seconds(_ moment: UnixSeconds?) -> JSONValue { moment.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null }
}
