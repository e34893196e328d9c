import Core

extension AcceptanceRecord {
    /// An entry of the record; as a line it passes from a process that is killed to the one that evaluates it.
    enum Entry {
        /// A comment is sent with this id, for the first time or again.
        case sent(Int, UUIDv7)
        /// A comment is stored with this id: accepted, or found to be a duplicate.
        case accepted(Int, UUIDv7)
        case delivered(Int, UUIDv7)
        /// A notifier was given a delivery of a comment to a device.
        case addressed(Int, device: String)
        /// A registration is attempted, was allowed, or was denied by its person's limit.
        case asked(String)
        case allowed(String)
        case denied(String)
        /// A device has signed out before the comment is sent.
        case signedOut(Int, device: String)
        case broken(String)
    }

    /// Adds another process's journal; a line without an end is ignored.
    func take(journal: [UInt8]) {
        for line in journal.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).dropLast() {
            if let entry = Entry(line: String(decoding: line, as: UTF8.self)) { note(entry) }
        }
    }
}

extension AcceptanceRecord.Entry {
    var line: String {
        switch self {
        case .sent(let number, let id): "sent \(number) \(id)"
        case .accepted(let number, let id): "accepted \(number) \(id)"
        case .delivered(let number, let id): "delivered \(number) \(id)"
        case .addressed(let number, let device): "addressed \(number) \(device)"
        case .asked(let user): "asked 0 \(user)"
        case .allowed(let user): "allowed 0 \(user)"
        case .denied(let user): "denied 0 \(user)"
        case .signedOut(let number, let device): "signed-out \(number) \(device)"
        case .broken(let promise): "broken 0 \(promise)"
        }
    }

    /// Parses a line; nil for one that is not from a journal.
    init?(line: String) {
        let parts = line.split(separator: " ", maxSplits: 2).map { String($0) }
        guard parts.count == 3, let number = Int(parts[1]) else { return nil }
        switch (parts[0], UUIDv7(parts[2])) {
        case ("sent", let id?): self = .sent(number, id)
        case ("accepted", let id?): self = .accepted(number, id)
        case ("delivered", let id?): self = .delivered(number, id)
        case ("addressed", _): self = .addressed(number, device: parts[2])
        case ("asked", _): self = .asked(parts[2])
        case ("allowed", _): self = .allowed(parts[2])
        case ("denied", _): self = .denied(parts[2])
        case ("signed-out", _): self = .signedOut(number, device: parts[2])
        case ("broken", _): self = .broken(parts[2])
        default: return nil
        }
    }
}
