internal import Core

/// What HMS' answers mean (Huawei, "Result codes"): the code in the body decides, and the status only where there is none.
enum HMSAnswer {
    /// Reads an answer.
    /// - Parameter retryAfter: what the header Retry-After asks for, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        guard let number = HMSCode.number(in: body) else { return of(status: status, retryAfter: retryAfter) }
        let word = HMSCode.word(number)
        if let code = HMSCode(rawValue: number) { return of(code, word, retryAfter) }
        // To send the same again would come to the same.
        return HMSCode.blamesRequest(number) ? ProviderAnswer(.dead, word) : of(status: status, retryAfter: retryAfter)
    }

    private static func of(_ code: HMSCode, _ word: String, _ retryAfter: UInt64?) -> ProviderAnswer {
        switch code {
        case .success: ProviderAnswer(.delivered, word)
        case .authenticationFailed, .accessTokenExpired: ProviderAnswer(.misconfigured, word, step: .mintToken)
        // Of the one token in the request. Tokens of another app or project are refused in the same words.
        case .invalidToken, .partialSuccess: ProviderAnswer(.deviceGone(since: nil), word, step: .countMismatch)
        case .noPermission, .noPermissionForHighLevel, .wrongReceiptAddress, .credentialRefused: ProviderAnswer(.misconfigured, word)
        case .messageTooLong: ProviderAnswer(.dead, word, step: .shorten)
        case .invalidParameter, .invalidMessage, .invalidTTL, .invalidCollapseKey, .sensitiveContent, .contentNotReviewed, .tooManyTokens:
            ProviderAnswer(.dead, word)
        case .internalError: .retry(word, after: retryAfter)
        }
    }

    private static func of(status: Int, retryAfter: UInt64?) -> ProviderAnswer {
        let word = "status_\(status)"
        return switch status {
        case 400: ProviderAnswer(.dead, word)
        case 401: ProviderAnswer(.misconfigured, word, step: .mintToken)
        case 403, 404: ProviderAnswer(.misconfigured, word)
        // 503 is how HMS controls the flow.
        case 429, 503: .slowDown(word, after: retryAfter)
        // Also 200: without the code nothing proves that it arrived, and a repetition replaces what is on the screen.
        default: .retry(word, after: retryAfter)
        }
    }
}
