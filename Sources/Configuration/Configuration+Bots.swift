internal import Core

extension Configuration {
    /// Functions of bots that change something without anybody's consent, or with that of the model alone.
    var botWarnings: [ConfigurationWarning] {
        bots.enumerated().flatMap { botIndex, bot in
            bot.functions.enumerated().filter { $1.changesSomething && $1.confirmation != .user }.map { index, function in
                ConfigurationWarning(
                    path: "$.bots[\(botIndex)].functions[\(index)].confirm",
                    message: function.confirmation == .model
                        ? Told(
                            "the model can confirm to itself, also when a text that it has read tells it to; ",
                            "модель может подтвердить вызов сама себе, в том числе по указке прочитанного текста; ")
                            + Told(
                                "give \"user\", unless a wrong call of \(function.name) does no harm",
                                "задайте \"user\", если ошибочный вызов \(function.name) может навредить")
                        : Told(
                            "nobody confirms, so a text that the model has read can make it call \(function.name); ",
                            "никто не подтверждает, поэтому прочитанный моделью текст может заставить её вызвать \(function.name); ")
                            + Told(
                                "give \"user\", unless a wrong call does no harm", "задайте \"user\", если ошибочный вызов может навредить")
                )
            }
        }
    }

    /// Where functions of bots are called, each with its JSON path.
    var botAddresses: [(path: String, address: String)] {
        bots.enumerated().flatMap { botIndex, bot in
            bot.functions.enumerated().map { index, function in
                ("$.bots[\(botIndex)].functions[\(index)].request.url", function.request.url.origin)
            }
        }
    }
}
