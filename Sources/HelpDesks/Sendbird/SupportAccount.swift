/// The accounts of support in Sendbird Chat.
enum SupportAccount {
    /// The prefix of their user ids. Sendbird Desk creates them; no customer's account has it.
    private static let prefix = "sendbird_desk_agent_id_"

    /// Whether a user id is a support account's, byte for byte.
    static func isSupport(_ userID: String) -> Bool { userID.utf8.starts(with: prefix.utf8) }

    /// Whether a user id is a support account's when case is ignored. Such an id is rejected, because it is undocumented whether Sendbird
    /// distinguishes case.
    static func resemblesSupport(_ userID: String) -> Bool { isSupport(userID.lowercased()) }
}
