internal import Observability
internal import URLPreviews

/// The result of a call for a preview, as in logs and metrics.
enum URLPreviewResult: Hashable {
    case preview
    case none(PreviewRefusal)
    /// The maximum number of pages is being fetched.
    case busy
    case limited
    /// The app has no previews.
    case off
    /// The body is not as expected.
    case malformed
    /// The person may not use the chat.
    case denied
    /// A failure of Deskgate's own.
    case unavailable

    static let all: [URLPreviewResult] =
        [.preview, .busy, .limited, .off, .malformed, .denied, .unavailable] + PreviewRefusal.allCases.map { .none($0) }

    var word: String {
        switch self {
        case .preview: "preview"
        case .none(let refusal): refusal.rawValue
        case .busy: "busy"
        case .limited: "limited"
        case .off: "off"
        case .malformed: "malformed"
        case .denied: "denied"
        case .unavailable: "unavailable"
        }
    }

    /// Makes the series of an app, with 0.
    static func expect(_ app: String, in family: MetricFamily<Counter>) {
        for result in all { _ = family.child(app, result.word) }
    }
}
