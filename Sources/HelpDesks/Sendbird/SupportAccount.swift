enum SupportAccount {
    /// The beginning of their user ids. Sendbird Desk makes them; no customer's account begins with it.
    private static let prefix = "sendbird_desk_agent_id_"

    /// Whether a user id is that of a support employee, byte for byte.
    static func isSupport(_ userID: String) -> Bool { userID.utf8.starts(with: prefix.utf8) }

    /// Whether no action is allowed in the name of a user id, because in some case of its letters it is that of a support employee: it is
    /// not documented whether Sendbird distinguishes cases.
    static func resemblesSupport(_ userID: String) -> Bool { isSupport(userID.lowercased()) }
}
