internal import Core

/// The search for a name. It scans all data in one call, so a further page exists only when devices fill the page.
extension MemoryState {
    func search(for query: NameQuery, after: NameCursor?, limit: Int) -> NamePage {
        let isSame = { (text: String?) in text.map { $0.utf8.elementsEqual(query.name.utf8) } ?? false }
        var found: [NameMatch] = []
        func note(_ match: NameMatch) {
            if query.kinds.contains(match.kind), !found.contains(match) { found.append(match) }
        }
        if after == nil {
            for device in devices.registered(where: { isSame($0.userID) }) {
                note(NameMatch(.user, in: .device, appID: device.key.appID, userID: query.name))
            }
            for revocation in revocations.list(.all, after: nil, limit: .max) {
                guard case .user(let userID) = revocation.subject, isSame(userID) else { continue }
                note(NameMatch(.user, in: revocation.isBlock ? .block : .revocation, appID: revocation.appID, userID: query.name))
            }
            for event in events where isSame(event.identity.commentID?.text) {
                note(NameMatch(.comment, in: .delivery, appID: event.identity.appID))
            }
        }
        if let next = searchDevices(query, after: after, limit: limit, isSame: isSame, note: note) { return NamePage(found, next: next) }
        for event in events.reversed() {
            if isSame(event.userID) { note(NameMatch(.user, in: .delivery, appID: event.identity.appID, userID: query.name)) }
            if isSame(event.identity.ticketID?.text) { note(NameMatch(.ticket, in: .delivery, appID: event.identity.appID)) }
        }
        return NamePage(found, next: nil)
    }

    private func searchDevices(
        _ query: NameQuery, after: NameCursor?, limit: Int, isSame: (String?) -> Bool, note: (NameMatch) -> Void
    ) -> NameCursor? {
        var last: Device.Key?
        switch after {
        case .events: return nil
        case .devices(let key): last = key
        case nil: break
        }
        guard query.kinds.contains(.device) else { return nil }
        let named = devices.registered { key in isSame(key.deviceID) && last.map { $0 < key } ?? true }
        for device in named.prefix(limit) { note(NameMatch(.device, in: .device, appID: device.key.appID, userID: device.key.userID)) }
        return named.count < limit ? nil : named.prefix(limit).last.map { .devices(after: $0.key) }
    }
}
