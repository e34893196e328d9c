internal import HelpDesk

/// The URLs of authors' pictures, from which the chat libraries load them: next to the registry of push tokens, without a credential.
struct AvatarAddress: Sendable, Equatable {
    private let beginning: String

    /// - Parameter registry: the URL of the registry of push tokens. For a URL of another form the result is nil, because the pictures'
    ///   URLs are unknown.
    init?(registry: String) {
        let call = "/SetPushToken"
        guard registry.hasSuffix(call) else { return nil }
        beginning = registry.dropLast(call.utf8.count) + "/Avatar/"
    }

    /// Nil for an id that means no picture, such as 0, and for a URL without TLS.
    func url(of avatar: Int64) -> String? {
        avatar > 0 ? AvatarURL.read("\(beginning)\(avatar)") : nil
    }
}
