internal import Core

/// What HMS' answers mean (Huawei, "Result codes"): the code in the body decides, and the status only where there is none.
enum HMSAnswer {
    /// Reads an answer.
    /// - Parameters:
    ///   - token: the one in the request; nil when there was none.
    ///   - retryAfter: what the header Retry-After asks for, in milliseconds.
    static func of(status: Int, body: [UInt8], token: String? = nil, retryAfter: UInt64?) -> ProviderAnswer {
        guard let number = HMSCode.number(in: body) else { return of(status: status, retryAfter: retryAfter) }
        let word = HMSCode.word(number)
        if number == HMSCode.partialSuccess.rawValue { return partialSuccess(body, token, word) }
        if let code = HMSCode(rawValue: number) { return of(code, word, retryAfter) }
        // To send the same again would come to the same.
        return HMSCode.blamesRequest(number) ? ProviderAnswer(.dead, word) : of(status: status, retryAfter: retryAfter)
    }

    private static func of(_ code: HMSCode, _ word: String, _ retryAfter: UInt64?) -> ProviderAnswer {
        switch code {
        case .success: ProviderAnswer(.delivered, word)
        case .authenticationFailed, .accessTokenExpired: ProviderAnswer(.misconfigured, word, step: .mintToken)
        // Of the one token in the request. Tokens of another app or project are refused in the same words.
        case .invalidToken: ProviderAnswer(.deviceGone(since: nil), word, step: .askAlarm)
        case .noPermission, .noPermissionForHighLevel, .wrongReceiptAddress, .credentialRefused: ProviderAnswer(.misconfigured, word)
        case .messageTooLong: ProviderAnswer(.dead, word, step: .shorten)
        case .invalidParameter, .invalidMessage, .invalidTTL, .invalidCollapseKey, .sensitiveContent, .contentNotReviewed, .tooManyTokens:
            ProviderAnswer(.dead, word)
        // The second is read with the tokens that it names.
        case .internalError, .partialSuccess: .retry(word, after: retryAfter)
        }
    }

    /// The tokens that are named are of no use; the others have got the message. Where none can be read nothing is proved.
    private static func partialSuccess(_ body: [UInt8], _ token: String?, _ word: String) -> ProviderAnswer {
        guard let token, let illegal = HMSCode.illegalTokens(in: body) else { return .retry(word) }
        return illegal.contains { $0.utf8.elementsEqual(token.utf8) }
            ? ProviderAnswer(.deviceGone(since: nil), word, step: .askAlarm) : ProviderAnswer(.delivered, word)
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
