internal import JSON

/// Payloads of ticket events that are not shown on phones. Events for phones have a `Comment`.
package enum TicketPayload {
    /// The payload of `ticket.created`, `….assigned`, `….transferred`, `….closed`, `….reopened` and `….updated`.
    package struct Report: Sendable {
        package let ticketID: HelpDeskID
        /// The channel; nil if it was not reported.
        package let channel: HelpDeskID?
        /// The kind of the ticket's original channel (see `Ticket.channelType(_:)`).
        package let channelType: String?
        /// The values as the help desk reports them; nil if not reported.
        package let status, closeStatus, priority: String?
        /// The group and the agent to which the ticket is assigned; nil if there is none.
        package let group, agentID: String?
        /// The changed members with their former values; nil if the former value is unknown.
        package let changedFrom: [(member: StaticString, value: String?)]

        package init(
            ticketID: HelpDeskID, channel: HelpDeskID?, channelType: String?, status: String?, closeStatus: String?, priority: String?,
            group: String?,
            agentID: String?, changedFrom: [(member: StaticString, value: String?)]
        ) {
            (self.ticketID, self.channel, self.status, self.closeStatus) = (ticketID, channel, status, closeStatus)
            (self.priority, self.group, self.agentID, self.changedFrom) = (priority, group, agentID, changedFrom)
            self.channelType = channelType
        }

        /// The payload as a JSON object.
        package var data: [UInt8] {
            var writer = JSONWriter(capacity: 256)
            writer.beginObject()
            writer.add("ticket_id", id: ticketID)
            writer.add("channel", id: channel)
            writer.add("channel_type", channelType)
            writer.add("status", status)
            writer.add("close_status", closeStatus)
            writer.add("priority", priority)
            writer.add("group", group)
            writer.add("agent_id", agentID)
            writer.beginObject("changed_from")
            for change in changedFrom { writer.add(change.member, change.value) }
            writer.endObject()
            writer.endObject()
            return writer.bytes
        }
    }

    /// The payload of `ticket.closure_confirmed`, `ticket.closure_declined` and `ticket.rated`.
    package struct Answer: Sendable {
        package struct Rating: Sendable {
            /// The score from 1 to 5; nil if it could not be read.
            package let score: Int64?
            package let comment: String?

            package init(score: Int64?, comment: String?) {
                (self.score, self.comment) = (score, comment)
            }
        }

        /// The ticket; nil when only the channel is known.
        package let ticketID: HelpDeskID?
        package let channel: HelpDeskID
        /// The message that asked the question.
        package let commentID: HelpDeskID
        /// The rating; nil if the question was whether the ticket may be closed.
        package let rating: Rating?

        package init(ticketID: HelpDeskID?, channel: HelpDeskID, commentID: HelpDeskID, rating: Rating? = nil) {
            (self.ticketID, self.channel, self.commentID, self.rating) = (ticketID, channel, commentID, rating)
        }

        package var data: [UInt8] {
            var writer = JSONWriter(capacity: 256)
            writer.beginObject()
            writer.add("ticket_id", id: ticketID)
            writer.add("channel", id: channel)
            writer.add("comment_id", id: commentID)
            if let rating {
                writer.add("score", rating.score)
                writer.add("comment", rating.comment)
            }
            writer.endObject()
            return writer.bytes
        }
    }
}
