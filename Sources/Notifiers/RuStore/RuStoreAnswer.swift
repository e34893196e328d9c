internal import Core

/// What RuStore's answers mean: as FCM's, whose place it takes, with less said of the token (RuStore, "Sending push notifications").
enum RuStoreAnswer {
    /// Reads an answer.
    /// - Parameter retryAfter: what the header Retry-After asks for, in milliseconds.
    static func of(status: Int, body: [UInt8], retryAfter: UInt64?) -> ProviderAnswer {
        // Documented as the user's token being wrong; a wrong project has no word of its own, so that many of them may be that.
        if status == 404, FCMRefusal(body: body).code == .notFound {
            return ProviderAnswer(.deviceGone(since: nil), FCMErrorCode.notFound.word, step: .askAlarm)
        }
        let answer = FCMAnswer.of(status: status, body: body, retryAfter: retryAfter)
        // The service token comes from the console: there is none to be made.
        return answer.step == .mintToken ? ProviderAnswer(answer.outcome) : answer
    }
}
