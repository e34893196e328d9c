internal import Configuration
internal import Core
internal import Notifiers

extension ReasonMeaning {
    /// The meaning of the reason of a delivery or of one of its attempts.
    /// - Parameter notifier: as it is configured; nil when it is not any more.
    static func of(_ reason: String, _ notifier: Configuration.Notifier?) -> ReasonMeaning {
        if let ending = DeliveryEnding.allCases.first(where: { $0.reason == reason }) { return of(ending) }
        if let ending = RetryDecision.Ending(rawValue: reason) { return of(ending) }
        if let own = ofDispatch(reason) { return own }
        return ReasonMeaning(reason, from: notifier?.reasonSource ?? .unknown)
            ?? ReasonMeaning("the reason is \(reason)", "look at the log for this notifier and this reason")
    }

    private static func of(_ ending: DeliveryEnding) -> ReasonMeaning {
        switch ending {
        case .noTarget:
            ReasonMeaning(
                "there was no registered device that this notifier serves",
                "see which devices are registered (deskgate explain --user) and which types apps[].routes leads to a notifier; a phone "
                    + "registers when its app is opened")
        case .tooMany: ReasonMeaning("the event had too many deliveries", "name fewer notifiers for the app")
        case .notifierQueueFull, .queueFull:
            ReasonMeaning(
                "too many deliveries were waiting",
                "see why they wait (deskgate status), mend that, and retry: deskgate deliveries retry --reason \(ending.reason)")
        }
    }

    private static func of(_ ending: RetryDecision.Ending) -> ReasonMeaning {
        switch ending {
        case .expired:
            ReasonMeaning(
                "there was no time left for another attempt before the event expired",
                "retry it: deskgate deliveries retry; deliveries.expire_after_seconds says how long Deskgate tries")
        case .attemptsSpent:
            ReasonMeaning("no more attempts are allowed", "retry it: deskgate deliveries retry")
        }
    }

    /// The words of the dispatcher, of operators and of relays.
    private static func ofDispatch(_ reason: String) -> ReasonMeaning? {
        switch reason {
        case AdminAnswer.Change.purged(0).name:
            ReasonMeaning("an operator gave it up", "retry it if that was wrong: deskgate deliveries retry")
        case "stopped": ReasonMeaning("Deskgate was stopped before it was sent", waitingForTurn)
        case "superseded": ReasonMeaning("a later change of the same device made it pointless", nil)
        case "not_for_relay": ReasonMeaning("comments are not passed on to the help desk that wrote them", nil)
        case "no_key": ReasonMeaning("no security key could be minted for the call", "give the app a key under apps[].keys")
        default: nil
        }
    }

    static let waitingForTurn = "wait: its next attempt follows by itself"
}

extension Configuration.Notifier {
    /// As far as the meaning of its reasons depends on it.
    var reasonSource: ReasonSource {
        switch kind {
        case .log: .log
        case .http: .http
        case .relay: .relay
        case .push(let push): .push(push.provider)
        }
    }
}
