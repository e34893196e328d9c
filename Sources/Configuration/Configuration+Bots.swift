internal import Core

extension Configuration {
    /// Warnings about bot functions that change data without confirmation or with the model's confirmation alone, and about functions whose
    /// calls do not identify the user.
    var botWarnings: [ConfigurationWarning] {
        bots.enumerated().flatMap { botIndex, bot in
            bot.functions.enumerated().flatMap { index, function in
                guard function.request != nil else {
                    return [function.consentWarning("$.bots[\(botIndex)].\(function.name)")].compactMap(\.self)
                }
                let path = "$.bots[\(botIndex)].functions[\(index)]"
                return [function.consentWarning(path), function.personWarning(path)].compactMap(\.self)
            }
        }
    }

    /// The addresses of bot functions, each with its JSON path.
    var botAddresses: [(path: String, address: String)] {
        bots.enumerated().flatMap { botIndex, bot in
            bot.functions.enumerated().compactMap { index, function in
                function.request.map { ("$.bots[\(botIndex)].functions[\(index)].request.url", $0.url.origin) }
            }
        }
    }
}

extension BotFunction {
    fileprivate func consentWarning(_ path: String) -> ConfigurationWarning? {
        guard changesSomething, confirmation != .user else { return nil }
        return ConfigurationWarning(
            path: "\(path).confirm",
            message: confirmation == .model
                ? LocalizedText(
                    "the model can confirm its own call, also when a text that it has read instructs it to; ",
                    "модель может подтвердить вызов сама себе, в том числе по указке прочитанного текста; ")
                    + LocalizedText(
                        "set \"user\", unless a wrong call of \(name) does no harm",
                        "задайте \"user\", если ошибочный вызов \(name) может навредить")
                : LocalizedText(
                    "there is no confirmation, so a text that the model has read can make it call \(name); ",
                    "никто не подтверждает, поэтому прочитанный моделью текст может заставить её вызвать \(name); ")
                    + LocalizedText(
                        "set \"user\", unless a wrong call does no harm", "задайте \"user\", если ошибочный вызов может навредить")
        )
    }

    fileprivate func personWarning(_ path: String) -> ConfigurationWarning? {
        guard !bindings.contains(where: { $0.binding == .userID }) else { return nil }
        return ConfigurationWarning(
            path: "\(path).bind",
            message: LocalizedText(
                "your backend does not get the user for whom \(name) is called, so any user can reach the data that the arguments name; ",
                "серверу компании не сообщается, для кого вызвана \(name), и любой получит то, что названо в аргументах; ")
                + LocalizedText(
                    "bind a parameter to \"user_id\", unless that data is public",
                    "свяжите параметр с \"user_id\", если это можно не всем"))
    }
}
