package import Core
internal import Synchronization
internal import Threading
package import Time

/// The last use of each key in this process: one word per key, shared by all snapshots of the configuration. Safe on any thread.
package final class KeyUsageTracker: Sendable {
    private let words = Monitor<[KeyUse.Name: KeyUseWord]>([:])

    package init() {}

    func uses(of authorizer: Authorizer) -> KeyUses {
        let entries = words.withLock { words in
            authorizer.applications.map { application in
                let app = ByteKey(String(decoding: application.id, as: UTF8.self))
                return application.keys.map { key in
                    let name = KeyUse.Name(app: app, keyID: key.id)
                    let word = words[name] ?? KeyUseWord()
                    words[name] = word
                    return KeyUses.Entry(keyID: key.id, word: word)
                }
            }
        }
        return KeyUses(applications: entries)
    }

    /// Returns the uses of all keys that were ever active in this process.
    /// - Parameter now: the time recorded for a key that is read for the first time.
    package func all(now: UnixMilliseconds) -> [KeyUse] {
        words.withLock { words in
            words.map { name, word in
                KeyUse(appID: name.app.text, keyID: name.keyID, since: word.known(now), usedAt: word.usedAt)
            }
        }
    }
}

/// The words of one snapshot's keys.
///
/// Not copyable, so that it is borrowed through its snapshot and threads do not contend for reference counts.
package struct KeyUses: ~Copyable, Sendable {
    struct Entry: Sendable {
        let keyID: UInt32
        let word: KeyUseWord
    }

    /// Indexed like the authorizer's apps.
    let applications: [[Entry]]

    /// Records the use of the key in a decision of the same authorizer, even if the app's backend may still deny. Takes no lock and
    /// allocates nothing.
    func note(_ decision: Authorizer.Authorization, now: UnixSeconds) {
        guard let application = decision.application else { return }
        let keyID: UInt32
        switch decision.verdict {
        case .authorized(let used?, _), .unconfirmed(let used?): keyID = used
        case .authorized, .unconfirmed, .malformed, .denied, .shadowed, .undecided: return
        }
        for index in applications[application].indices where applications[application][index].keyID == keyID {
            applications[application][index].word.note(now)
        }
    }
}

final class KeyUseWord: Sendable {
    private static let minuteMilliseconds: UInt64 = 60_000

    /// Minutes since 1970; 0 for never.
    private let minute = Atomic<UInt64>(0)
    /// The time since which the key is known, in milliseconds since 1970; 0 until it is first read.
    private let since = Atomic<UInt64>(0)

    func note(_ now: UnixSeconds) {
        let current = now.rawValue / 60
        // Written once a minute, so that threads do not contend for its cache line.
        if minute.load(ordering: .relaxed) != current { minute.store(current, ordering: .relaxed) }
    }

    /// The last use, rounded down to the minute.
    var usedAt: UnixMilliseconds? {
        let minute = minute.load(ordering: .relaxed)
        return minute == 0 ? nil : UnixMilliseconds(rawValue: minute * Self.minuteMilliseconds)
    }

    /// Returns the time of the first call.
    func known(_ now: UnixMilliseconds) -> UnixMilliseconds {
        let (exchanged, original) = since.compareExchange(expected: 0, desired: now.rawValue, ordering: .relaxed)
        return exchanged ? now : UnixMilliseconds(rawValue: original)
    }
}
