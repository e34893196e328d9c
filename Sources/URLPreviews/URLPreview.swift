internal import HTML
internal import HTTPClient
internal import JSON

/// The preview of a page, in the form of the help desk's dashboard and apps.
package struct URLPreview: Sendable, Equatable {
    /// In Unicode scalars; also of the site's name.
    package static let longestTitle = 200
    /// In Unicode scalars.
    package static let longestDescription = 500
    /// In bytes of the URL.
    package static let longestImage = 2048

    /// The page's URL, or the one that it prefers on the same host.
    package let url: String
    /// The site's name, or the title; not empty.
    package let siteName: String
    /// Not empty.
    package let title: String
    /// May be empty.
    package let description: String
    /// An http or https URL.
    package let image: String

    init(_ page: Page, _ rules: PreviewRules) throws(PreviewRefusal) {
        let metadata = PageMetadata(page: TextDecoder.utf8(page.body, contentType: page.contentType))
        let titles = [metadata.pageTitle, metadata["og:title"], metadata["twitter:title"]]
        let descriptions = [metadata["description"], metadata["og:description"], metadata["twitter:description"]]
        let images = ["og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src"].map { metadata[$0] }
        let base = metadata.base.flatMap { try? page.url.resolving(Self.trimmed($0)) } ?? page.url
        guard let title = Self.first(of: titles, longest: Self.longestTitle) else { throw .incomplete }
        guard
            let image = images.lazy.compactMap({ Self.shown($0, on: base, rules) }).first(where: { $0.utf8.count <= Self.longestImage })
        else { throw .incomplete }
        self.title = title
        self.image = image
        description = Self.first(of: descriptions, longest: Self.longestDescription) ?? ""
        siteName = Self.first(of: [metadata["og:site_name"]], longest: Self.longestTitle) ?? title
        url = Self.preferred(metadata["og:url"], base: base, on: page.url, rules) ?? page.url.text
    }

    /// The `data` of the message that shows the preview: compact JSON, with members in the help desk's order.
    package var json: [UInt8] {
        var writer = JSONWriter(capacity: 1024)
        writer.beginObject()
        writer.add("type", "SENDBIRD_DESK_URL_PREVIEW")
        writer.beginObject("body")
        writer.add("url", url)
        writer.add("site_name", siteName)
        writer.add("title", title)
        writer.add("description", description)
        writer.add("image", image)
        writer.endObject()
        writer.endObject()
        return writer.bytes
    }

    private static func first(of texts: [String?], longest: Int) -> String? {
        texts.lazy.compactMap { $0.map { SanitizedText.clean($0, longest: longest) } }.first { !$0.isEmpty }
    }

    /// Returns a URL that phones may load.
    private static func shown(_ reference: String?, on base: WebURL, _ rules: PreviewRules) -> String? {
        guard let reference, let url = try? base.resolving(trimmed(reference)), rules.problem(of: url) == nil else { return nil }
        return url.text
    }

    private static func preferred(_ reference: String?, base: WebURL, on page: WebURL, _ rules: PreviewRules) -> String? {
        guard let reference, let url = try? base.resolving(trimmed(reference)), url.host == page.host else { return nil }
        return rules.problem(of: url) == nil ? url.text : nil
    }

    private static func trimmed(_ text: String) -> String {
        let scalars = text.unicodeScalars
        guard let first = scalars.firstIndex(where: { $0.value > 0x20 }), let last = scalars.lastIndex(where: { $0.value > 0x20 }) else {
            return ""
        }
        return String(scalars[first...last])
    }
}
