internal import Configuration
internal import Core
internal import Notifiers

/// Problems of the store (full queues, dead deliveries), and of certificates' files.
extension ProblemSearch {
    /// One for each listener.
    var renewedCertificates: [Problem] {
        facts.renewedCertificates.map { listener in
            Problem(
                .listenerCertificateRenewed, as: .warning, of: listener,
                LocalizedText(
                    "The certificate of the \(listener) listener was renewed in its file, and the listener presents the former one.",
                    "Сертификат слушателя \(listener) обновлён в файле, но слушатель предъявляет прежний."),
                remedy: LocalizedText("Reload: deskgate reload.", "Перезагрузите настройки: deskgate reload."))
        }
    }

    /// By the rule of `operator.disk_low`.
    var lowDisks: [Problem] {
        let thresholds = configuration.operators.thresholds
        return facts.disks.filter { DiskRule.isLow(freeBytes: $0.freeBytes, wasLow: $0.wasLow, thresholds) }.map { disk in
            let (free, key) = (disk.freeBytes / 1_000_000, "operators.thresholds.disk_free_megabytes")
            let (bound, end) = (thresholds.diskFreeMegabytes, DiskRule.end(thresholds) / 1_000_000)
            let text =
                DiskRule.status(freeBytes: disk.freeBytes, thresholds) == .holds
                ? LocalizedText(
                    "The disk of the \(disk.name) has \(free) MB free, less than \(bound) (\(key)).",
                    "На диске, где лежит \(disk.name), свободно \(free) МБ, меньше \(bound) (\(key)).")
                : LocalizedText(
                    "The disk of the \(disk.name) has \(free) MB free. It had less than \(bound) (\(key)) and should have \(end) again.",
                    "На диске, где лежит \(disk.name), свободно \(free) МБ. Было меньше \(bound) (\(key)), а хватать будет с \(end).")
            return Problem(
                .diskLow, as: .warning, of: disk.name, text,
                remedy: LocalizedText(
                    "Make room: events are refused below store.minimum_free_megabytes. deskgate store status says how large the store is.",
                    "Освободите место: ниже store.minimum_free_megabytes события не принимаются. Размер покажет deskgate store status."))
        }
    }

    /// One for each notifier.
    var deadDeliveries: [Problem] {
        let life = UInt64(configuration.deliveries.expireAfterSeconds) * 1000
        let recent = Set(
            facts.dead.filter { isFault($0) && DeadRule.holds($0, lifetimeMilliseconds: life, now: now) && configuration.runs($0.notifier) }
                .map { ByteKey($0.notifier) })
        return recent.sorted().map { name in dead(name.text, facts.dead.filter { ByteKey($0.notifier) == name }) }
    }

    /// Whether the cause must be repaired: neither an operator nor the removal of the app has ended them.
    private func isFault(_ dead: DeadDeliveries) -> Bool {
        GivenUpReason(rawValue: dead.reason) == nil && configuration.notifier(dead.notifier)?.reasonSource.endsDevice(dead.reason) != true
    }

    private func dead(_ name: String, _ all: [DeadDeliveries]) -> Problem {
        let reported = all.filter(isFault)
        let (count, word) = (reported.reduce(0) { $0 + $1.count }, TextFragments.word(name))
        let reasons = Dictionary(reported.map { (ByteKey($0.reason), $0.count) }, uniquingKeysWith: +)
        let most = reasons.max { ($0.value, $1.key) < ($1.value, $0.key) }
        let (reason, number) = (most?.key.text ?? "", most?.value ?? 0)
        let choice = reported.count == all.count ? "" : " --reason \(TextFragments.word(reason))"
        let meaning =
            TextFragments.sentence(ReasonMeaning.of(reason, configuration.notifier(name)).text) + lastFailure(of: name, as: reason)
        let deliveries = count == 1 ? "1 delivery to \(name) was" : "\(count) deliveries to \(name) were"
        return Problem(
            .deliveriesDead, as: .warning, of: name,
            LocalizedText(
                "\(deliveries) given up, \(number) of them as \(reason). \(meaning)",
                "Канал \(name) не доставил и больше не пробует: \(count), из них по причине \(reason): \(number). \(meaning)"),
            remedy: LocalizedText(
                "Repair the cause, and retry them: deskgate deliveries retry --notifier \(word)\(choice).",
                "Устраните причину и повторите их: deskgate deliveries retry --notifier \(word)\(choice)."))
    }

    /// The cause behind deliveries that expired, as a sentence after another; empty if the reason is the cause.
    private func lastFailure(of name: String, as reason: String) -> LocalizedText {
        guard reason == RetryDecision.Ending.expired.rawValue,
            let failure = statuses.first(where: { $0.name == name })?.lastFailure, !failure.isEmpty
        else { return LocalizedText(verbatim: "") }
        let meaning = ReasonMeaning.of(failure, configuration.notifier(name)).text
        return LocalizedText(
            " The last attempt of \(name) that failed: \(meaning) (\(failure)).",
            " Последняя неудачная попытка канала \(name): \(meaning) (\(failure)).")
    }
}
