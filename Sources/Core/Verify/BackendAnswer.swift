/// The decision of an app's backend about a person.
package enum BackendAnswer: Sendable, Hashable {
    case allowed
    case denied
    /// No decision, or no call.
    case undecided(UndecidedReason)
}

/// The result of one call of an app's backend.
package struct BackendReply: Sendable, Equatable {
    /// The result's meaning for the backend's health, apart from the person.
    package enum Health: Sendable, Equatable {
        case works
        /// The next call is likely to fail as well.
        case fails
        /// Nothing, because the call did not reach it.
        case unknown
    }

    package let answer: BackendAnswer
    package let health: Health
    /// For how many seconds the backend lets its answer be kept at most; nil when it does not say.
    package let keepSeconds: UInt64?
    /// `BackendFailure.cause`, for a call without a decision.
    package var cause: String?

    /// nil for a decision.
    package var failure: BackendFailure? {
        if case .undecided(let reason) = answer { BackendFailure(reason, cause: cause) } else { nil }
    }

    /// Takes a response: only its status counts, and how long it may be kept.
    ///
    /// 2xx is yes; 401, 403 and 404 are no. Everything else is neither: a redirect may lead to a page for signing in.
    /// - Parameter cacheControl: the value of Cache-Control; nil when it has none.
    package init(status: Int, cacheControl: String?) {
        switch status {
        case 200..<300: answer = .allowed
        case 401, 403, 404: answer = .denied
        default: answer = .undecided(.backendStatus)
        }
        health = status == 429 || status >= 500 ? .fails : .works
        keepSeconds = cacheControl.flatMap(CacheControl.maximumSeconds)
    }

    package init(_ reason: UndecidedReason, _ health: Health) {
        answer = .undecided(reason)
        self.health = health
        keepSeconds = nil
    }
}

/// Seconds for which answers are cached; 0 caches none.
package struct AnswerLifetimes: Sendable, Equatable {
    package var positiveSeconds: UInt64
    /// For denials.
    package var negativeSeconds: UInt64

    package init(positiveSeconds: UInt64, negativeSeconds: UInt64) {
        self.positiveSeconds = positiveSeconds
        self.negativeSeconds = negativeSeconds
    }

    /// Returns the milliseconds for which a reply is cached: as configured, and no longer than the backend allows. Failures are never
    /// cached.
    package func milliseconds(of reply: BackendReply) -> UInt64 {
        let configured: UInt64 =
            switch reply.answer {
            case .allowed: positiveSeconds
            case .denied: negativeSeconds
            case .undecided: 0
            }
        return min(configured, reply.keepSeconds ?? .max) * 1000
    }
}

/// Reads the value of a Cache-Control header, RFC 9111 section 5.2, as far as it limits how long an answer is kept.
enum CacheControl {
    /// The longest that the answer may be kept in seconds; nil when the value sets no limit.
    ///
    /// `no-store` and `no-cache` are 0, and so is a `max-age` that is no number (section 4.2.1). Of several limits the shortest counts.
    static func maximumSeconds(_ value: String) -> UInt64? {
        var longest: UInt64?
        for directive in value.utf8.split(separator: UInt8(ascii: ",")) {
            let parts = directive.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = parts.first.map(word) else { continue }
            let limit: UInt64
            switch name {
            case "no-store", "no-cache": limit = 0
            case "max-age": limit = parts.count == 2 ? seconds(word(parts[1])) : 0
            default: continue
            }
            longest = min(longest ?? .max, limit)
        }
        return longest
    }

    /// Digits without end are a long time, not a mistake (section 1.2.2).
    private static func seconds(_ text: String) -> UInt64 {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return 0 }
        return UInt64(text) ?? .max
    }

    /// In lower case, without the blanks and quotes around it.
    private static func word(_ bytes: Substring.UTF8View) -> String {
        let isPart: (UInt8) -> Bool = { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
        guard let first = bytes.firstIndex(where: isPart), let last = bytes.lastIndex(where: isPart) else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self).lowercased()
    }
}
