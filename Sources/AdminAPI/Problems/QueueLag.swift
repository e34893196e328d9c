package import Core
package import Time

/// The texts for a late queue: for the problem `queue_late`, and for the event and the log line of the same name.
package enum QueueLag {
    /// The sentences in the event about a notifier's queue, in English.
    package static func message(_ waiting: PendingDeliveries, now: UnixMilliseconds) -> (text: String, remedy: String) {
        let problem = Problem.late(waiting, now: now)
        return (problem.text.english, problem.remedy.english)
    }
}

extension Problem {
    /// The problem of a notifier's queue that is late.
    static func late(_ waiting: PendingDeliveries, now: UnixMilliseconds) -> Problem {
        let name = waiting.notifier
        if name == HeldMessage.notifier { return held(waiting, now: now) }
        let reported = waiting.localized(now: now)
        return Problem(
            .queueLate, as: .warning, of: name, LocalizedText("\(name) is late. \(reported)", "\(name) опаздывает. \(reported)"),
            remedy: LocalizedText(
                """
                See whether attempts fail: deskgate deliveries list --state pending --notifier \(TextFragments.word(name)). Otherwise more come than \
                its receiver takes: have it answer faster, or raise notifiers.\(name).concurrency and \(LocalizedText.reload).
                """,
                """
                Посмотрите, не сбоят ли попытки: deskgate deliveries list --state pending --notifier \(TextFragments.word(name)). Если нет, \
                получатель не успевает: пусть отвечает быстрее, или увеличьте notifiers.\(name).concurrency и \(LocalizedText.reload).
                """))
    }

    private static func held(_ waiting: PendingDeliveries, now: UnixMilliseconds) -> Problem {
        let age = waiting.age(now: now)
        return Problem(
            .queueLate, as: .warning, of: waiting.notifier,
            LocalizedText(
                "The help desk has not named the users of \(TextFragments.count(waiting.count, "message")) came, the oldest for \(age): they are not delivered yet.",
                "Служба поддержки не говорит, для кого пришли сообщения: ждут \(waiting.count), самое старое \(age). О них пока никому не сообщено."
            ),
            remedy: LocalizedText(
                "See that the help desk's API can be reached and accepts its token: deskgate check --live. Deskgate asks again by itself.",
                "Проверьте, что API службы поддержки доступен и принимает токен: deskgate check --live. Deskgate спрашивает снова сам."))
    }
}

extension PendingDeliveries {
    /// The number of waiting deliveries, in a sentence.
    func localized(now: UnixMilliseconds) -> LocalizedText {
        let deliveries = count == 1 ? "1 delivery waits" : "\(count) deliveries wait"
        let age = age(now: now)
        return LocalizedText("\(deliveries) for it, the oldest for \(age).", "Ждут доставки: \(count), самая старая \(age).")
    }

    fileprivate func age(now: UnixMilliseconds) -> LocalizedText {
        TextFragments.duration(seconds: now.elapsed(since: oldestReceivedAt) / 1000)
    }
}
