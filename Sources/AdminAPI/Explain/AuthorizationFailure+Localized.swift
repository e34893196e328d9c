internal import Core
internal import Time

extension AuthorizationHistory {
    /// Whether the latest request could not be decided.
    var isUndecided: Bool { if case .undecided? = failure?.reason { true } else { false } }
}

extension AuthorizationFailure {
    /// Reports that the app's backend could not decide about a request, and that it decides again.
    static func isOver(_ text: LocalizedText, at: UnixSeconds) -> Explanation.Step {
        Explanation.Step(
            .authorization, outcome: .note,
            text: text
                + LocalizedText(
                    " Since then the backend has decided again: have the person try again.",
                    " С тех пор сервер приложения снова принимает решения: пусть человек попробует ещё раз."),
            at: at.milliseconds,
            remedy: LocalizedText(
                "If it decides about all but this user, look at the backend's log.",
                "Если решения нет только об этом пользователе, посмотрите журнал сервера приложения."))
    }

    /// Reports that the latest request was neither allowed nor denied, and the reason.
    /// - Parameter key: the person without a key.
    func step(_ key: KeyFacts) -> Explanation.Step {
        let (time, word) = (TextFragments.time(at), reason.word)
        switch reason {
        case .undecided(let reason):
            let text = LocalizedText(
                "This user's latest request was answered 503 at \(time), which is no denial: the decision failed (\(word)).",
                "На последний запрос этого пользователя ответили 503, \(time); это не отказ: решить было некому (\(word)).")
            if reason.isOfFailedCalls, key.backendDecidesAgain { return Self.isOver(text, at: at) }
            // The store was read for this explanation.
            if reason == .revocationsUnknown, key.storeProblem == nil {
                let since = LocalizedText(
                    " Since then the store answers again: have the person try again.",
                    " С тех пор хранилище снова отвечает: пусть человек попробует ещё раз.")
                return Explanation.Step(.authorization, outcome: .note, text: text + since, at: at.milliseconds)
            }
            let cause = key.backendStatus?.cause(of: reason, at: key.backend) ?? LocalizedText(verbatim: "")
            return Explanation.Step(.authorization, outcome: .problem, text: text + cause, at: at.milliseconds, remedy: reason.remedy)
        case .limited:
            if isLifted(by: key.limits) {
                let text = LocalizedText(
                    "A registration of this user's device was answered 429 at \(time), before push_tokens.limits were changed (\(word)).",
                    "На регистрацию устройства этого пользователя ответили 429, \(time), до изменения push_tokens.limits (\(word)).")
                return Explanation.Step(
                    .authorization, outcome: .note, text: text, at: at.milliseconds,
                    remedy: LocalizedText(
                        "The app repeats it later, or when the person opens it again.",
                        "Приложение повторит её позже или когда человек снова его откроет."))
            }
            let next = nextAt.flatMap { $0 > key.now ? TextFragments.time($0) : nil }
            let limit =
                next.map { LocalizedText("; the next is allowed at \($0).", "; следующая разрешена в \($0).") }
                ?? LocalizedText(verbatim: ".")
            return Explanation.Step(
                .authorization, outcome: next != nil && key.isWithoutDevice ? .problem : .note,
                text: LocalizedText(
                    "The latest registration of this user's device was answered 429 at \(time), by push_tokens.limits (\(word))\(limit)",
                    "На последнюю регистрацию устройства этого пользователя ответили 429, \(time): сработал push_tokens.limits (\(word))\(limit)"
                ),
                at: at.milliseconds,
                remedy: LocalizedText("The app repeats it later. ", "Приложение повторит её позже. ")
                    + LocalizedText(
                        "If people need to register so often, raise the limit in push_tokens.limits, and \(LocalizedText.reload).",
                        "Если регистрироваться так часто нужно, увеличьте предел в push_tokens.limits и \(LocalizedText.reload)."))
        }
    }
}
