internal import Bytes
internal import Core
internal import HTTPServer
internal import JSON
internal import Observability
internal import Time

// The meaning of a finished backend call for the caller and the stored call
extension CallReply {
    /// Returns the reply to the caller, and the outcome to store, of a call that was sent to the backend.
    static func conclude(
        _ result: Result<FunctionAnswer, BackendFault>, of function: BotFunction, at now: UnixMilliseconds
    ) -> (reply: CallReply, ending: BotCall.Ending) {
        switch result {
        case .success(let answer):
            let outcome: BotCall.Outcome = answer.status < 300 ? .succeeded : .refused
            return (
                .answer(answer),
                BotCall.Ending(outcome, statusCode: answer.status, releasesKey: function.changesSomething && answer.changedNothing, at: now)
            )
        case .failure(let fault):
            let ending = BotCall.Ending(
                fault.outcome, statusCode: fault.status, reason: fault.reason.rawValue,
                releasesKey: function.changesSomething && !fault.mayBeDone, at: now)
            return (.refusal(CallRefusal(fault, of: function)), ending)
        }
    }

    var result: CallResult {
        switch self {
        case .answer(let answer): answer.status < 300 ? .succeeded : .refused
        case .refusal(let refusal): refusal.result
        }
    }
}

extension BackendFault {
    var outcome: BotCall.Outcome {
        switch reason {
        case .timeout: .timedOut
        case .stopped where mayBeDone: .unknown
        default: .failed
        }
    }
}

extension CallRefusal {
    /// 502, 503 or 504 instead of a backend's answer; the message states whether a change may have been made.
    init(_ fault: BackendFault, of function: BotFunction) {
        let asked = if case .handOff = function.action { "The help desk" } else { "The company's system" }
        let (status, code, what, result) =
            switch fault.reason {
            case .timeout: (504, "timeout", "\(asked) did not answer in time.", CallResult.timedOut)
            case .overloaded: (503, "busy", "Too many calls are under way.", CallResult.unavailable)
            case .stopped: (503, "unavailable", "The service is stopping.", fault.mayBeDone ? CallResult.unknown : .unavailable)
            default: (502, "bad_gateway", "\(asked) gave no usable answer.", CallResult.failed)
            }
        let advice =
            switch (function.changesSomething, fault.mayBeDone) {
            case (false, _): "Try again later."
            case (true, false): "Nothing was done; the same call can be made again."
            case (true, true): "It is not known whether \(function.name) was done: do not call it again, and inform the customer."
            }
        var body: JSONObject = ["error": .string(code), "message": .string("\(what) \(advice)")]
        if function.changesSomething { body.append(.string(fault.mayBeDone ? "unknown" : "not_done"), forKey: "outcome") }
        self.init(
            Response(status: status, json: .object(body), headers: status == 503 ? [("Retry-After", "2")] : []), result,
            reason: fault.reason.rawValue, level: .warning)
    }

    /// 409 for a repeated change whose answer is no longer stored.
    static func alreadyCalled(_ call: BotCall) -> CallRefusal {
        // A started bot hands over only once, with any summary.
        let before = call.function.hasSameBytes(as: BotHandOff.functionName) ? "before" : "with these arguments before"
        let message =
            switch call.outcome {
            case .succeeded: "\(call.function) was called \(before), and was done."
            case .refused, .denied: "\(call.function) was called \(before), and was refused."
            case .started: "\(call.function) was called \(before), and has not ended yet."
            default: "\(call.function) was called \(before); it is not known whether it succeeded."
            }
        return CallRefusal(
            Response(
                status: 409,
                json: [
                    "error": "already_called", "message": .string("\(message) Do not call it again."),
                    "outcome": .string(call.outcome.rawValue), "status_code": call.statusCode.map { .integer(Int64($0)) } ?? .null,
                ]), .repeated, reason: "already_called")
    }

    /// 409 for a change that must be confirmed first.
    /// - Parameter text: the confirmation.
    static func confirmationRequired(_ text: String, _ token: BotConfirmationToken, by confirmation: BotConfirmation) -> CallRefusal {
        let message =
            confirmation == .user
            ? "The customer has to confirm this in the app."
            : "Repeat the call with the member confirmation beside the arguments, if the customer has agreed."
        return CallRefusal(
            Response(
                status: 409,
                json: [
                    "error": "confirmation_required", "message": .string(message), "confirmation": .string(text),
                    "function": .string(token.function), "arguments": .object(token.arguments),
                    "expires_at": .integer(Int64(clamping: token.grant.expiresAt.rawValue)),
                ], headers: [("Cache-Control", "no-store")]), .confirmationRequired, reason: "confirmation_\(confirmation.rawValue)")
    }
}
