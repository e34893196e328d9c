internal import HelpDesk

/// The address of authors' pictures, as the chat libraries load them: beside the registry of push tokens, without a credential.
struct AvatarAddress: Sendable, Equatable {
    private let beginning: String

    /// Takes the address of the registry of push tokens; nil for one of another form, behind which nothing else is known.
    init?(registry: String) {
        let call = "/SetPushToken"
        guard registry.hasSuffix(call) else { return nil }
        beginning = registry.dropLast(call.utf8.count) + "/Avatar/"
    }

    /// The URL of a picture. Nil for an id that means none, as 0 does, and at an address without TLS.
    func url(of avatar: Int64) -> String? {
        avatar > 0 ? AvatarURL.read("\(beginning)\(avatar)") : nil
    }
}
