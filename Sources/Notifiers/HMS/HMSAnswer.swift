internal import Core

/// The responses of HMS (Huawei, "Result codes"): the code in the body decides; without one, the status decides.
enum HMSAnswer {
    /// Parses a response.
    /// - Parameters:
    ///   - token: the token in the request; nil for a proof.
    ///   - retryAfter: the value of the header Retry-After, in milliseconds.
    static func of(status: Int, body: [UInt8], token: String? = nil, retryAfter: UInt64?) -> ProviderAnswer {
        guard let number = HMSCode.number(in: body) else { return of(status: status, retryAfter: retryAfter) }
        let word = HMSCode.word(number)
        if number == HMSCode.partialSuccess.rawValue { return partialSuccess(body, token: token, word: word) }
        if let code = HMSCode(rawValue: number) { return of(code, word: word, retryAfter: retryAfter) }
        // An unknown code for a fault in the request: a retry would get the same response.
        return HMSCode.blamesRequest(number) ? ProviderAnswer(.dead, word) : of(status: status, retryAfter: retryAfter)
    }

    private static func of(_ code: HMSCode, word: String, retryAfter: UInt64?) -> ProviderAnswer {
        switch code {
        case .success: ProviderAnswer(.delivered, word)
        case .authenticationFailed, .accessTokenExpired: ProviderAnswer(.misconfigured, word, step: .mintToken)
        // These codes are about the one token in the request. Tokens of another app or project get the same code.
        case .invalidToken: ProviderAnswer(.deviceGone(since: nil), word, step: .askAlarm)
        case .noPermission, .noPermissionForHighLevel, .wrongReceiptAddress, .credentialRefused: ProviderAnswer(.misconfigured, word)
        case .messageTooLong: ProviderAnswer(.dead, word, step: .shorten)
        case .invalidParameter, .invalidMessage, .invalidTTL, .invalidCollapseKey, .sensitiveContent, .contentNotReviewed, .tooManyTokens:
            ProviderAnswer(.dead, word)
        // A partial success was handled with its result for the token.
        case .internalError, .partialSuccess: .retry(word, after: retryAfter)
        }
    }

    /// Converts a response about several tokens to one about the token in the request: 80300007 if the response names the token, 80000000
    /// if it reports a success and does not name the token. Otherwise the result is unknown.
    private static func partialSuccess(_ body: [UInt8], token: String?, word: String) -> ProviderAnswer {
        guard let token, let result = HMSPartialSuccess(body: body) else { return .retry(word) }
        let code: HMSCode
        if result.illegalTokens.contains(where: { $0.utf8.elementsEqual(token.utf8) }) {
            code = .invalidToken
        } else if result.successes > 0 {
            code = .success
        } else {
            return .retry(word)
        }
        return of(code, word: HMSCode.word(code.rawValue), retryAfter: nil)
    }

    private static func of(status: Int, retryAfter: UInt64?) -> ProviderAnswer {
        let word = StatusReason.word(status)
        return switch status {
        case 400: ProviderAnswer(.dead, word)
        case 401: ProviderAnswer(.misconfigured, word, step: .mintToken)
        case 403, 404: ProviderAnswer(.misconfigured, word)
        // HMS uses 503 for flow control.
        case 429, 503: .slowDown(word, after: retryAfter)
        // This includes 200, which without a code does not prove delivery; a repetition replaces the notification on the screen.
        default: .retry(word, after: retryAfter)
        }
    }
}
