enum SupportAccount {
    /// The beginning of their user ids. Sendbird Desk makes them; no customer's account begins with it.
    private static let prefix = "sendbird_desk_agent_id_"

    /// Whether a user id is that of somebody of support, byte for byte.
    static func isSupport(_ userID: String) -> Bool { userID.utf8.starts(with: prefix.utf8) }

    /// Whether nothing may be done in the name of a user id, because it is that of somebody of support in some case of its letters: it is
    /// not documented that Sendbird tells cases apart.
    static func resemblesSupport(_ userID: String) -> Bool { isSupport(userID.lowercased()) }
}
