internal import HTTPClient

/// The URL of an author's picture, as phones and providers receive it.
///
/// Deskgate never loads it. A doubtful URL is omitted, because a provider may reject the whole push because of it.
package enum AvatarURL {
    /// The maximum length in bytes: half of the size of a push.
    package static let longest = 2048

    /// Returns the URL in the normal form of `WebURL`; nil for a text that is not an https URL, has credentials, or is too long.
    package static func read(_ text: String) -> String? {
        guard text.utf8.count <= longest, let url = try? WebURL(text).text, url.utf8.count <= longest, url.hasPrefix("https://"),
            !url.utf8.contains(where: isUnsafe)
        else { return nil }
        return url
    }

    /// Characters that RFC 3986 never allows and libcurl does not escape.
    private static func isUnsafe(_ byte: UInt8) -> Bool { "\"<>\\^`{|}".utf8.contains(byte) }
}
