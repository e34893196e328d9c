internal import Observability
internal import URLPreviews

enum URLPreviewResult: Hashable {
    case preview
    case none(PreviewRefusal)
    case busy
    case limited
    case off
    case malformed
    case denied
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

    static func expect(_ app: String, in family: MetricFamily<Counter>) {
        for result in all { _ = family.child(app, result.word) }
    }
}
