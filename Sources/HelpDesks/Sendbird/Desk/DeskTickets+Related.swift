package import Core
internal import JSON

extension DeskTickets {
    package func relate(_ id: Int64, to wanted: [String], owner: String?) throws(TicketFailure) -> Ticket {
        let before = try ticket(id, owner: owner)
        // Keeps channels that support has added, because the person does not see them.
        var others = before
        others.relatedChannels.removeAll { related in wanted.contains { $0.utf8.elementsEqual(related.channel.utf8) } }
        let kept = if let owner { try relatedChannels(of: others, joinedBy: owner, is: false).map(\.channel) } else { [String]() }
        guard kept.count + wanted.count <= TicketDraft.maximumRelatedChannels else {
            throw .tooManyChannels(room: TicketDraft.maximumRelatedChannels - kept.count)
        }
        if !wanted.isEmpty {
            // Desk may omit the customer of the ticket.
            guard let customer = before.userID else { throw .foreignChannel }
            try checkMembership(of: customer, in: wanted)
        }
        let channels = wanted + kept
        let answer = try ask(DeskRequests.relate(id, to: channels))
        if let ticket = DeskTicket.read(answer), ticket.id == id, ticket.state != nil, ticket.relatedChannels.areExactly(channels) {
            return ticket
        }
        // Reads the ticket again, because the answer may contain only a part of it, and Sendbird answers 200 even if it has changed
        // nothing.
        let after = try ticket(id, owner: owner)
        guard after.relatedChannels.areExactly(channels) else { throw .refused }
        return after
    }

    /// Returns the ticket's channels that the user has joined, or with `isJoined` false, the other channels. The addresses and names of
    /// channels that support added are not disclosed to the user.
    func relatedChannels(of ticket: Ticket, joinedBy userID: String, is isJoined: Bool = true) throws(TicketFailure) -> [RelatedChannel] {
        let related = ticket.relatedChannels.prefix(TicketDraft.maximumRelatedChannels)
        return zip(related, try isMember(userID, ofEach: related.map(\.channel))).filter { $0.1 == isJoined }.map(\.0)
    }

    /// Rejects channels that the user has not joined. Support reads the channels of a ticket, so it would mistake another user's
    /// conversation for this user's.
    func checkMembership(of userID: String, in channels: [String]) throws(TicketFailure) {
        guard try isMember(userID, ofEach: channels).allSatisfy({ $0 }) else { throw .foreignChannel }
    }

    private func isMember(_ userID: String, ofEach channels: [String]) throws(TicketFailure) -> [Bool] {
        let requests = channels.map { DeskRequests.member(userID, of: $0) }
        var answers = client.askChat(each: requests.compactMap(\.self))[...]
        var areMember: [Bool] = []
        for request in requests {
            // A channel that cannot be addressed has no members.
            guard request != nil, let answer = answers.popFirst() else {
                areMember.append(false)
                continue
            }
            do throws(PlatformError) {
                let json = try answer.get()
                // A user who was only invited cannot read the channel yet.
                areMember.append(json["is_member"] == .bool(true) && json["state"]?.text ?? "joined" == "joined")
            } catch .notFound, .invalid {
                areMember.append(false)
            } catch {
                throw TicketFailure(error)
            }
        }
        return areMember
    }
}
