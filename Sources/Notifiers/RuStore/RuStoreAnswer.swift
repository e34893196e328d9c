internal import Core

/// What RuStore's answers mean: as FCM's, whose place it takes (RuStore, "Sending push notifications"); it documents no errors of its own.
enum RuStoreAnswer {
    /// Reads an answer.
    /// - Parameter retryAfter: what the header Retry-After asks for, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        let answer = FCMAnswer.of(status: status, body: body, retryAfter: retryAfter)
        // The token comes from the console: there is none to be made.
        return answer.step == .mintToken ? ProviderAnswer(answer.outcome) : answer
    }
}
