internal import Core

extension ReasonMeaning {
    static func of(_ reason: ClientReason, _ source: ReasonSource) -> ReasonMeaning {
        let network = LocalizedText(
            "check \"url\", the network and the firewall between this machine and the receiver; Deskgate tries again",
            "проверьте \"url\", сеть и межсетевой экран между этой машиной и получателем; Deskgate повторяет попытки")
        let url = LocalizedText("check \"url\"", "проверьте \"url\"")
        return switch reason {
        case .invalidURL: ReasonMeaning("the address of the receiver is not a valid URL", "адрес получателя не является URL", do: url)
        case .hostUnknown:
            ReasonMeaning(
                "the receiver's host name could not be resolved", "имя узла получателя не удалось разрешить",
                do: LocalizedText("check \"url\" and this machine's DNS", "проверьте \"url\" и DNS этой машины"))
        case .cannotConnect:
            ReasonMeaning("no connection to the receiver could be made", "не удалось соединиться с получателем", do: network)
        case .proxy:
            ReasonMeaning(
                "the proxy did not connect to the receiver", "прокси не соединил с получателем",
                do: LocalizedText("check \"proxy\", and the hosts that it allows", "проверьте \"proxy\" и что он разрешает"))
        case .tls:
            ReasonMeaning(
                "the receiver's TLS certificate was not accepted, or TLS failed",
                "TLS-сертификат получателя не принят, или соединение TLS не удалось",
                do: LocalizedText(
                    "check the receiver's certificate, and \"certificate_authorities\" if it is from an authority of your own",
                    "проверьте сертификат получателя, а если он от вашего центра сертификации, то и \"certificate_authorities\""))
        case .timeout:
            ReasonMeaning(
                "the receiver did not answer in time, and may have received the request",
                "получатель не ответил вовремя, но мог всё получить",
                do: LocalizedText(
                    "find out why the receiver is slow, or raise \"timeout_seconds\"",
                    "выясните, почему он медлит, или увеличьте \"timeout_seconds\""))
        case .closedEarly, .connectionReset:
            ReasonMeaning(
                "the connection was lost before an answer came; the receiver may have received the request",
                "соединение оборвалось до ответа; получатель мог всё получить", do: network)
        case .malformedResponse, .headersTooLarge:
            ReasonMeaning(
                "the server at this address does not speak valid HTTP", "ответ не похож на HTTP",
                do: LocalizedText(
                    "check \"url\" and \"proxy\": another server may answer at this address",
                    "проверьте \"url\" и \"proxy\": возможно, там отвечает другой сервер"))
        case .cancelled, .overloaded: ReasonMeaning("Deskgate did not send it then", "Deskgate тогда ничего не отправил", do: waiting)
        }
    }
}
