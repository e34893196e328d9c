internal import AdminAPI
internal import JSON

extension TicketsCommands {
    /// The keys that the help desk has ignored, as an additional sentence; empty for none.
    static func dropped(_ answer: JSONObject) -> String {
        guard case .array(let keys)? = answer["dropped"], !keys.isEmpty else { return "" }
        let names = keys.map { AdminText.text($0) }.joined(separator: ", ")
        return " The help desk has dropped \(names): register such fields in its dashboard first."
    }

    /// A ticket, with one line for each of its members.
    static func lines(_ ticket: JSONObject) -> String {
        ticket.members.compactMap { member -> String? in
            switch member.value {
            case .null: return nil
            case .array(let values):
                return values.isEmpty ? nil : "\(member.key): \(values.map(channel).joined(separator: ", "))"
            case .object(let object):
                let parts = object.members.filter { $0.value != .null }.map {
                    "\(AdminText.text(.string($0.key)))=\(AdminText.text($0.value))"
                }
                return parts.isEmpty ? nil : "\(member.key): \(parts.joined(separator: ", "))"
            default: return "\(member.key): \(AdminText.text(member.value))"
            }
        }.joined(separator: "\n")
    }

    /// A related channel, with its name where the help desk provides it.
    private static func channel(_ related: JSONValue) -> String {
        let name = AdminText.text(related["name"])
        return AdminText.text(related["channel"]) + (name.isEmpty ? "" : " (\(name))")
    }

    private static let columns = [
        (heading: "TICKET", key: "ticket_id"), ("STATE", "state"), ("PRIORITY", "priority"), ("GROUP", "group_key"), ("USER", "user_id"),
        ("UPDATED", "updated_at"), ("TITLE", "title"),
    ]

    static func table(_ answer: JSONObject) -> String {
        guard case .array(let tickets) = answer["tickets"], !tickets.isEmpty else { return "No ticket matches." }
        return AdminText.table(tickets, columns)
    }
}
