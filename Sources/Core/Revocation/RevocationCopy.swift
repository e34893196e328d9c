internal import Bytes
internal import Crypto
internal import JSON
package import Time

/// A file with the known revocations, for a start at which the store cannot be read. It consists of lines of JSON: a header, each
/// revocation without the operators' text, and the SHA-256 of all preceding lines.
package struct RevocationCopy: Sendable {
    package enum Problem: Error, Equatable, CustomStringConvertible {
        /// Incomplete, modified, or written by another version.
        case damaged
        case ofAnotherStore
        /// Confirmed too long ago, or in the future.
        case outdated(UnixSeconds)

        package var description: String {
            switch self {
            case .damaged: "it is damaged, or was written by another version"
            case .ofAnotherStore: "it belongs to another store"
            case .outdated(let time):
                "it was last confirmed at \(RFC3339.text(time.milliseconds)), longer ago than store.revocations_max_age_seconds allows, or in "
                    + "the future"
            }
        }
    }

    private static let format: JSONValue = 1
    package static let beginning = Array(#"{"format":"#.utf8)
    /// Seconds by which the clock may have been set back since the file was written.
    private static let clockSkewSeconds: UInt64 = 300

    /// Time at which these were the store's revocations.
    package let confirmedAt: UnixSeconds
    /// Without reason, author and time.
    package let revocations: [Revocation]

    /// - Parameters:
    ///   - store: the expected store.
    ///   - maximumAge: the longest time since the confirmation, in seconds.
    package init(_ bytes: [UInt8], of store: String, now: UnixSeconds, maximumAge: UInt64) throws(Problem) {
        var lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).map { Array($0) }
        guard lines.popLast() == [], let end = lines.popLast(), !end.isEmpty, end == Self.end(of: bytes.dropLast(end.count + 1)),
            !lines.isEmpty, let head = JSONValue(parsing: lines.removeFirst()), head["format"] == Self.format,
            let time = head["confirmed_at"]?.integer, (0...Int64(RFC3339.latest)).contains(time)
        else { throw .damaged }
        guard head["store"] == .string(store) else { throw .ofAnotherStore }
        confirmedAt = UnixSeconds(rawValue: UInt64(time))
        guard confirmedAt <= now.saturating(adding: Self.clockSkewSeconds), now.elapsed(since: confirmedAt) <= maximumAge else {
            throw .outdated(confirmedAt)
        }
        var revocations: [Revocation] = []
        for line in lines {
            guard let revocation = JSONValue(parsing: line).flatMap({ Revocation(copied: $0) }) else { throw .damaged }
            revocations.append(revocation)
        }
        self.revocations = revocations
    }

    /// Returns the store named in a file's first bytes; nil when the first line is damaged or incomplete.
    package static func store(namedIn beginning: [UInt8]) -> String? {
        beginning.split(separator: UInt8(ascii: "\n"), maxSplits: 1).first.flatMap { JSONValue(parsing: Array($0)) }?["store"]?.text
    }

    /// - Parameter store: names the store, so that no other store accepts the copy.
    package static func bytes(_ revocations: [Revocation], of store: String, confirmedAt: UnixSeconds) -> [UInt8] {
        let head: JSONValue = ["format": format, "store": .string(store), "confirmed_at": .integer(Int64(clamping: confirmedAt.rawValue))]
        var bytes: [UInt8] = []
        func add(_ line: [UInt8]) { bytes += line + [UInt8(ascii: "\n")] }
        add(head.serialized())
        for revocation in revocations { add(revocation.copied.serialized()) }
        add(end(of: bytes[...]))
        return bytes
    }

    /// The last line; empty, as in no valid file, when OpenSSL fails.
    private static func end(of bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard let digest = try? sha256(Array(bytes).span) else { return [] }
        return (["sha256": .string(Hexadecimal.text(digest.span))] as JSONValue).serialized()
    }
}

extension Revocation {
    fileprivate var copied: JSONValue {
        let columns = RevokedColumns(subject)
        func text(_ bytes: [UInt8]?) -> JSONValue { bytes.map { .string(Hexadecimal.text($0.span)) } ?? .null }
        return [
            "id": .string(id.description), "app_id": .string(appID), "user_id": columns.userID.map { .string($0) } ?? .null,
            "salt": text(columns.salt), "key_id": columns.keyID.map { .integer($0) } ?? .null, "former": text(columns.former),
            "issued_before": issuedBefore.map { .integer(Int64(clamping: $0.rawValue)) } ?? .null,
        ]
    }

    fileprivate init?(copied line: JSONValue) {
        func bytes(_ key: String) -> [UInt8]? { line[key]?.text.flatMap { Hexadecimal.bytes($0.utf8.span) } }
        let columns = RevokedColumns(
            userID: line["user_id"]?.text, salt: bytes("salt"), keyID: line["key_id"]?.integer, former: bytes("former"))
        guard let id = line["id"]?.text.flatMap({ UUIDv7($0) }), let appID = line["app_id"]?.text, let subject = columns.subject else {
            return nil
        }
        self.init(
            id: id, appID: appID, subject: subject,
            issuedBefore: line["issued_before"]?.integer.map { UnixSeconds(rawValue: UInt64(clamping: $0)) }, reason: "", author: "",
            createdAt: 0)
    }
}
