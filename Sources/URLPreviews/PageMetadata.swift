internal import HTML

struct PageMetadata {
    private static let names: Set<String> = [
        "description", "og:title", "og:description", "og:image", "og:image:url", "og:image:secure_url", "og:site_name", "og:url",
        "twitter:title", "twitter:description", "twitter:image", "twitter:image:src",
    ]
    /// The most bytes of one value.
    private static let longest = 16 * 1024

    private var title: String?
    private var isInTitle = false
    /// The number of open `svg` elements. A `title` inside one belongs to the drawing.
    private var openSVGs = 0
    /// The `href` of the first `base` element that has one (HTML standard, "The base element").
    private(set) var base: String?
    /// By name; the first non-empty value applies.
    private var properties: [String: String] = [:]

    init(page: [UInt8]) {
        var found = PageMetadata()
        HTMLReader.read(page, wanting: ["title", "meta", "base", "svg"]) { event in
            found.take(event)
            return true
        }
        self = found
    }

    private init() {}

    var pageTitle: String? { title }

    /// The value of a `meta` element by `name` or `property`.
    subscript(name: String) -> String? { properties[name] }

    private mutating func take(_ event: HTMLEvent) {
        switch event {
        case .start("svg", _): openSVGs += 1
        case .end("svg"): openSVGs -= 1
        case .start("base", let attributes): base = base ?? attributes.first { $0.name == "href" }?.value
        case .start("title", _) where title == nil && openSVGs == 0:
            isInTitle = true
            title = ""
        case .end("title"): isInTitle = false
        case .text(let text) where isInTitle && (title?.utf8.count ?? 0) < Self.longest: title? += text
        case .start("meta", let attributes): takeProperty(attributes)
        default: break
        }
    }

    private mutating func takeProperty(_ attributes: [(name: String, value: String)]) {
        guard let content = attributes.first(where: { $0.name == "content" })?.value, content.utf8.count <= Self.longest else { return }
        guard content.utf8.contains(where: { $0 > 0x20 }) else { return }
        // Pages mix both attributes up, and may have several names in `property` (RDFa).
        for attribute in attributes where attribute.name == "property" || attribute.name == "name" {
            for name in attribute.value.lowercased().split(whereSeparator: \.isWhitespace).map(String.init)
            where Self.names.contains(name) && properties[name] == nil {
                properties[name] = content
            }
        }
    }
}
