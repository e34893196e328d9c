internal import Core
internal import JSON
internal import Notifiers

/// Interprets the help desk's answers. Success is 200 with JSON without `error`. The help desk documents no errors, so most answers lead to
/// a retry.
enum PyrusAnswer {
    /// - Parameter retryAfter: the value of Retry-After in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> DeliveryOutcome {
        let word = StatusReason.word(status)
        switch status {
        case 200: return success(body)
        case 400, 413, 422: return DeliveryOutcome(.dead, reason: word)
        // The help desk asks Deskgate whether the person is authorized; the answer was no, or there was none.
        case 401, 403: return .retry(word, after: retryAfter)
        case 404, 405, 410: return DeliveryOutcome(.misconfigured, reason: word)
        case 429:
            let wait = retryAfter ?? PyrusNotifier.windowMilliseconds
            return DeliveryOutcome(.retry(retryAfterMilliseconds: wait), reason: word, isAboutDevice: true)
        default:
            return DeliveryOutcome(
                .retry(retryAfterMilliseconds: retryAfter), reason: word, requestsBackoff: [502, 504].contains(status), status: status)
        }
    }

    private static func success(_ body: [UInt8]) -> DeliveryOutcome {
        guard let answer = JSONValue(parsing: body), answer.isObject else {
            return DeliveryOutcome(.retry(retryAfterMilliseconds: nil), reason: ClientReason.malformedResponse.rawValue)
        }
        return answer["error"]?.nonNull == nil ? DeliveryOutcome(.delivered, reason: StatusReason.word(200)) : .retry("refused", after: nil)
    }
}

extension DeliveryOutcome {
    fileprivate static func retry(_ reason: String, after retryAfter: UInt64?) -> DeliveryOutcome {
        DeliveryOutcome(.retry(retryAfterMilliseconds: retryAfter), reason: reason, isAboutDevice: true)
    }
}
