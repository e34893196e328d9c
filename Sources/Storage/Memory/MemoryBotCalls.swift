internal import Core
internal import Time

struct MemoryBotCalls {
    private struct Entry {
        let place: BotCallCursor
        var call: BotCall
    }

    /// The entries in the order of their positions.
    private var entries: [Entry] = []
    private var ids: [[UInt8]: UUIDv7] = [:]
    private var count: Int64 = 0

    subscript(id: UUIDv7) -> BotCall? { entries.first { $0.call.id == id }?.call }

    mutating func begin(_ call: BotCall) -> BotCallBeginning {
        if let key = call.key {
            if let earlier = ids[key].flatMap({ self[$0] }) { return .repeated(earlier) }
            ids[key] = call.id
        }
        count += 1
        let entry = Entry(place: BotCallCursor(at: call.at.stored, number: count), call: call)
        // Searches backward, because most calls belong at the end.
        entries.insert(entry, at: entries.lastIndex { $0.place < entry.place }.map { $0 + 1 } ?? 0)
        return .new
    }

    mutating func end(_ id: UUIDv7, _ ending: BotCall.Ending) {
        guard let index = entries.firstIndex(where: { $0.call.id == id }) else { return }
        let former = entries[index].call
        entries[index].call = former.ended(ending)
        if let key = former.key, entries[index].call.key == nil { ids[key] = nil }
    }

    func page(_ filter: BotCallFilter, after: BotCallCursor?, limit: Int) -> BotCallPage {
        let place = after ?? .end
        let found = Array(entries.reversed().lazy.filter { $0.place < place && filter.matches($0.call) }.prefix(limit + 1))
        return BotCallPage(found.prefix(limit).map(\.call), next: found.count > limit ? found[..<limit].last?.place : nil)
    }

    mutating func giveUp(startedBefore time: UnixMilliseconds, now: UnixMilliseconds, limit: Int) -> [BotCall] {
        let lost = entries.indices.filter { entries[$0].call.outcome == .started && entries[$0].call.at < time }.prefix(limit)
        return lost.map { index in
            entries[index].call = entries[index].call.ended(BotCall.Ending(.unknown, reason: BotCall.interrupted, at: now))
            return entries[index].call
        }
    }

    func count(of person: AppUser) -> Int { entries.count { BotCallFilter(person).matches($0.call) } }

    mutating func erase(_ person: AppUser) -> Int { delete(limit: .max) { BotCallFilter(person).matches($0) } }

    mutating func purge(now: UnixMilliseconds, deliveredBefore: UnixMilliseconds, deadBefore: UnixMilliseconds, limit: Int) -> Int {
        delete(limit: limit) { call in
            call.at < BotCall.kept(call.outcome, now: now, deliveredBefore: deliveredBefore, deadBefore: deadBefore)
        }
    }

    private mutating func delete(limit: Int, where isGone: (BotCall) -> Bool) -> Int {
        let gone = entries.filter { isGone($0.call) }.prefix(limit).map(\.call)
        let ids = Set(gone.map(\.id))
        entries.removeAll { ids.contains($0.call.id) }
        for call in gone { if let key = call.key { self.ids[key] = nil } }
        return gone.count
    }
}

extension BotCallFilter {
    func matches(_ call: BotCall) -> Bool {
        appID.isNilOr(call.appID) && userID.isNilOr(call.userID) && bot.isNilOr(call.bot) && function.isNilOr(call.function)
            && (outcome.map { $0 == call.outcome } ?? true) && (since.map { call.at >= $0 } ?? true)
    }
}

extension String? {
    /// Whether this value is nil or has the same bytes as `text`.
    fileprivate func isNilOr(_ text: String) -> Bool { map { $0.utf8.elementsEqual(text.utf8) } ?? true }
}
