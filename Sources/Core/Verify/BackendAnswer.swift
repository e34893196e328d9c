/// The answer of an app's backend about a user.
package enum BackendAnswer: Sendable, Hashable {
    case allowed
    case denied
    /// The backend made no decision, or was not called.
    case undecided(UndecidedReason)
}

package struct BackendReply: Sendable, Equatable {
    /// The health of the backend, independent of the user.
    package enum Health: Sendable, Equatable {
        case works
        /// The next call will probably fail, too.
        case fails
        /// The call did not reach the backend.
        case unknown
    }

    package let answer: BackendAnswer
    package let health: Health
    /// The maximum time in seconds for which the backend allows caching; nil without a limit.
    package let keepSeconds: UInt64?
    /// `BackendFailure.cause` for a call without a decision.
    package var cause: String?

    /// Nil when the answer is a decision.
    package var failure: BackendFailure? {
        if case .undecided(let reason) = answer { BackendFailure(reason, cause: cause) } else { nil }
    }

    /// Evaluates a response's status and Cache-Control header: 2xx allows; 401, 403 and 404 deny. Any other status is undecided: a
    /// redirect, for example, may lead to a login page.
    package init(status: Int, cacheControl: String?) {
        switch status {
        case 200..<300: answer = .allowed
        case 401, 403, 404: answer = .denied
        default: answer = .undecided(.backendStatus)
        }
        health = status == 429 || status >= 500 ? .fails : .works
        keepSeconds = cacheControl.flatMap(CacheControl.maximumSeconds)
    }

    /// Creates the reply of a call without a response.
    package init(_ reason: UndecidedReason, _ health: Health) {
        answer = .undecided(reason)
        self.health = health
        keepSeconds = nil
    }
}

/// The lifetimes of cached answers in seconds; 0 disables caching.
package struct AnswerLifetimes: Sendable, Equatable {
    package var positiveSeconds: UInt64
    package var negativeSeconds: UInt64

    package init(positiveSeconds: UInt64, negativeSeconds: UInt64) {
        self.positiveSeconds = positiveSeconds
        self.negativeSeconds = negativeSeconds
    }

    /// The lifetime of a reply in milliseconds: as configured, but at most as long as the backend allows; 0 without a decision.
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

/// The part of a Cache-Control header (RFC 9111 section 5.2) that limits the lifetime.
enum CacheControl {
    /// The maximum time in seconds for which the answer may be stored; nil when the value sets no limit.
    ///
    /// `no-store` and `no-cache` mean 0, and so does a `max-age` that is not a number (section 4.2.1). With several limits, the shortest
    /// applies.
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

    /// A number that overflows is a long time, not an error (section 1.2.2).
    private static func seconds(_ text: String) -> UInt64 {
        guard !text.isEmpty, text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return 0 }
        return UInt64(text) ?? .max
    }

    /// Trims white space and quotes, and converts to lower case.
    private static func word(_ bytes: Substring.UTF8View) -> String {
        let isPart: (UInt8) -> Bool = { $0 > 0x20 && $0 != UInt8(ascii: "\"") }
        guard let first = bytes.firstIndex(where: isPart), let last = bytes.lastIndex(where: isPart) else { return "" }
        return String(decoding: bytes[first...last], as: UTF8.self).lowercased()
    }
}
