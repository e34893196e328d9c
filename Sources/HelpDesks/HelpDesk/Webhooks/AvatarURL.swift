internal import HTTPClient

/// The URL of an author's picture, as phones and providers receive it.
///
/// Deskgate never loads it. A doubtful URL is left out, because a provider may reject the whole push for it.
package enum AvatarURL {
    /// In bytes: half of the size of a push.
    package static let longest = 2048

    /// Returns the URL as `WebURL` spells it; nil for a text that is no https URL, has credentials, or is too long.
    package static func read(_ text: String) -> String? {
        guard text.utf8.count <= longest, let url = try? WebURL(text).text, url.utf8.count <= longest, url.hasPrefix("https://"),
            !url.utf8.contains(where: isUnsafe)
        else { return nil }
        return url
    }

    /// Characters that RFC 3986 allows nowhere, which libcurl does not escape.
    private static func isUnsafe(_ byte: UInt8) -> Bool { "\"<>\\^`{|}".utf8.contains(byte) }
}
