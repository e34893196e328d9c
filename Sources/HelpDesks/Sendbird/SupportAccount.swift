/// The accounts of support in Sendbird Chat.
enum SupportAccount {
    /// The beginning of their user ids. Sendbird Desk makes them; no customer's account begins with it.
    private static let prefix = "sendbird_desk_agent_id_"

    /// Whether a user id is that of somebody of support, byte for byte.
    static func isSupport(_ userID: String) -> Bool { userID.utf8.starts(with: prefix.utf8) }
}
