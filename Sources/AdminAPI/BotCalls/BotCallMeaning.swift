internal import Core

struct BotCallMeaning {
    let text: LocalizedText
    /// nil when no action is needed.
    let remedy: LocalizedText?

    init(_ call: BotCall) {
        let status = call.statusCode.map { "\($0)" } ?? "?"
        let why = Self.why(call.reason)
        if call.function.utf8.elementsEqual(BotHandOff.functionName.utf8), let meaning = Self.ofHandOff(call, status: status, why: why) {
            (text, remedy) = meaning
            return
        }
        switch call.outcome {
        case .started:
            text = LocalizedText("It is under way.", "Вызов ещё выполняется.")
            remedy = nil
        case .succeeded:
            text = LocalizedText("The company's backend has performed the call (\(status)).", "Сервер компании выполнил его (\(status)).")
            remedy = nil
        case .refused:
            text = LocalizedText("The company's backend has refused the call (\(status)).", "Сервер компании отказал (\(status)).")
            remedy = LocalizedText(
                "If the refusal is wrong, ask the company's backend: its log has the call's id as webhook-id.",
                "Если отказ ошибочный, ищите причину на сервере компании: в его журнале номер вызова стоит как webhook-id.")
        case .failed where call.reason == "unauthorized":
            text = LocalizedText(
                "The company's backend did not accept that the call came from Deskgate (401).",
                "Сервер компании не признал, что вызов пришёл от Deskgate (401).")
            remedy =
                LocalizedText(
                    "Compare bots[].secret with the secret of the backend, its clock, and the headers in bots[].functions[].request. ",
                    "Сверьте bots[].secret с секретом сервера компании, его часы и заголовки в bots[].functions[].request. ")
                + LocalizedText(
                    "If the function changes something, check in the backend's log whether the call was performed: the call's id is the webhook-id there.",
                    "Если функция что-то меняет, проверьте в журнале сервера, выполнена ли она: номер вызова стоит там как webhook-id.")
        case .failed:
            text = LocalizedText("The company's backend gave no usable answer\(why).", "Сервер компании не дал пригодного ответа\(why).")
            remedy = Self.check
        case .timedOut:
            text = LocalizedText("The company's backend did not answer in time.", "Сервер компании не ответил вовремя.")
            remedy = Self.check
        case .invalid:
            text = LocalizedText("The model's arguments do not fit the function\(why).", "Аргументы модели не подходят к функции\(why).")
            remedy = LocalizedText(
                "If this happens often, describe the function and its parameters in more detail.",
                "Если это бывает часто, опишите функцию и её параметры подробнее.")
        case .limited where call.reason == "refused_bytes":
            text = LocalizedText(
                "Earlier refused calls of this user had brought too many arguments within a minute, so this one's were not read\(why).",
                "До него за минуту отклонено слишком много аргументов этого пользователя, поэтому аргументы вызова не прочитаны\(why)."
            )
            remedy = LocalizedText(
                "Look at the refused calls before it: an attacker may have the ticket, or a model repeats a refused call.",
                "Посмотрите на отклонённые вызовы перед ним: билет мог попасть к злоумышленнику, или модель повторяет то, что отклонено.")
        case .limited:
            text = LocalizedText("A limit of the function was reached\(why).", "Исчерпано ограничение функции\(why).")
            remedy = LocalizedText(
                "If people need more, raise bots[].functions[].limits.", "Если людям нужно больше, увеличьте bots[].functions[].limits.")
        case .denied:
            text = LocalizedText(
                "The ticket or the confirmation does not allow it\(why).", "Билет или подтверждение его не разрешают\(why).")
            remedy = LocalizedText(
                "The app starts the bot again for a new ticket; deskgate explain --user shows whether the user may chat.",
                "Приложение запускает бота заново и получает новый билет; можно ли человеку писать в чат, скажет deskgate explain --user.")
        case .confirmationRequired:
            text = LocalizedText(
                "The call makes a change, and waits for a confirmation\(why).", "Он что-то меняет и ждёт подтверждения\(why).")
            remedy = nil
        case .unknown:
            text = LocalizedText(
                "Deskgate ended while it was under way; whether the company's backend has done it is not known.",
                "Deskgate завершился, пока вызов выполнялся; выполнил ли его сервер компании, неизвестно.")
            remedy = LocalizedText(
                "Look for the call's id in the log of the company's backend, where it is the webhook-id.",
                "Найдите номер вызова в журнале сервера компании: там это webhook-id.")
        }
    }

    /// The meaning of a hand-off to a person, which calls the help desk instead of the company's backend; nil when that makes no
    /// difference.
    private static func ofHandOff(_ call: BotCall, status: String, why: LocalizedText) -> (LocalizedText, remedy: LocalizedText?)? {
        let look = LocalizedText(
            "Check in this user's tickets whether support was informed; deskgate check --live tests the help desk's token.",
            "Посмотрите в обращениях этого человека, передан ли он поддержке; токен службы поддержки проверит deskgate check --live.")
        switch call.outcome {
        case .succeeded:
            return (
                LocalizedText(
                    "Support was informed in the user's ticket (\(status)).", "Поддержке написано в обращении этого человека (\(status))."),
                nil
            )
        case .limited where call.reason?.hasPrefix("limit_per_") == true:
            return (LocalizedText("The user has been handed off too often\(why).", "Этого человека передавали слишком часто\(why)."), nil)
        case .refused where call.statusCode == 429:
            return (
                LocalizedText(
                    "The help desk wanted fewer requests, so nothing was done.",
                    "Служба поддержки просила запрашивать реже, ничего не сделано."), nil
            )
        case .failed where call.reason == "help_desk_away":
            return (
                LocalizedText("The help desk is unavailable\(why).", "Служба поддержки недоступна\(why)."),
                LocalizedText(
                    "The call can be repeated; deskgate check --live shows whether the help desk responds.",
                    "Вызов можно повторить; отвечает ли служба поддержки, скажет deskgate check --live.")
            )
        case .refused:
            return (LocalizedText("The help desk has refused the call (\(status)).", "Служба поддержки отказала (\(status))."), look)
        case .failed:
            return (LocalizedText("The help desk gave no usable answer\(why).", "Служба поддержки не дала пригодного ответа\(why)."), look)
        case .timedOut: return (LocalizedText("The help desk did not answer in time.", "Служба поддержки не ответила вовремя."), look)
        case .unknown:
            return (
                LocalizedText(
                    "Deskgate ended while it was under way; it is not known whether support was informed.",
                    "Deskgate завершился, пока вызов выполнялся; узнала ли поддержка, неизвестно."), look
            )
        default: return nil
        }
    }

    private static let check = LocalizedText(
        "Look at the company's backend, and whether it has done it: its log has the call's id as webhook-id.",
        "Проверьте сервер компании и выполнил ли он вызов: в его журнале номер вызова стоит как webhook-id.")

    /// Returns the reason in brackets, or nothing without one.
    private static func why(_ reason: String?) -> LocalizedText {
        guard let reason else { return LocalizedText(verbatim: "") }
        return words[reason].map { LocalizedText(" (\(reason): \($0))", " (\(reason): \($0))") } ?? LocalizedText(verbatim: " (\(reason))")
    }

    private static let words: [String: LocalizedText] = [
        "redirect": LocalizedText("it redirected the call", "он перенаправил вызов"),
        "server_error": LocalizedText("it answered with a status of 5xx", "он ответил кодом 5xx"),
        "too_large": LocalizedText("its answer was too long", "его ответ слишком длинный"),
        "not_json": LocalizedText("its answer was not JSON", "его ответ не JSON"),
        "malformed_json": LocalizedText("its answer was malformed JSON", "его ответ — испорченный JSON"),
        "help_desk_token": LocalizedText(
            "it does not accept the configured token, so nothing was done", "она не принимает заданный токен, ничего не сделано"),
        "help_desk_unavailable": LocalizedText(
            "it is unavailable, or its answer does not mention the message", "она недоступна, или её ответ ничего не говорит о сообщении"),
        "help_desk_away": LocalizedText(
            "no message was sent, so nothing was done", "ей ничего не отправлено, так что ничего не сделано"),
        "unreachable": LocalizedText("no connection was made, so nothing was done", "соединиться не удалось, так что ничего не сделано"),
        "broken_off": LocalizedText("the connection broke", "соединение оборвалось"),
        "overloaded": LocalizedText("too many calls were running, so nothing was done", "шло слишком много вызовов, ничего не сделано"),
        "stopped": LocalizedText("the service was stopping", "служба останавливалась"),
        "late": LocalizedText("it could not be stored in time, so nothing was done", "его не удалось вовремя сохранить, ничего не сделано"),
        "revoked": LocalizedText(
            "the user was signed out or blocked, or the security key with which the bot was started was revoked",
            "человек вышел или заблокирован, или отозван ключ безопасности, с которым бот был запущен"),
        "unknown_key": LocalizedText(
            "the secret of the security key with which the bot was started is not configured any more",
            "секрета, которым создан ключ безопасности этого запуска, больше нет в настройках"),
        "key_retired": LocalizedText(
            "the time of the secret that made the security key is over", "срок секрета, которым создан ключ безопасности, истёк"),
        "too_old": LocalizedText("the security key exceeds the maximum age", "ключ безопасности старше, чем допустимо"),
        "unknown_function": LocalizedText("the bot has no such function", "у бота нет такой функции"),
        "method": LocalizedText("the function makes a change and was called with GET", "функция что-то меняет, а вызвана методом GET"),
        "arguments": LocalizedText("the answer named the wrong parameter", "вызвавшему сказано, какой параметр неверен"),
        "too_long": LocalizedText("they are too long", "они слишком длинные"),
        "malformed_confirmation": LocalizedText("the confirmation is invalid", "это не подтверждение"),
        "other_arguments": LocalizedText("the confirmation is for another call", "подтверждение относится к другому вызову"),
        "expired_confirmation": LocalizedText("the confirmation is too old", "подтверждение устарело"),
        "confirmation_user": LocalizedText("from the customer's app", "из приложения клиента"),
        "confirmation_model": LocalizedText("from the model, once the customer has agreed", "от модели, когда клиент согласится"),
    ]
}
