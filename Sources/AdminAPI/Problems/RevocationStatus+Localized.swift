package import Core
internal import HTTPServer
package import JSON
internal import Time

extension RevocationStatus {
    /// The maximum age of current revocations, in seconds.
    private static let freshSeconds: UInt64 = 30

    /// One sentence about the work that continues while the store is unavailable, and the work that does not.
    func meanwhile(now: UnixSeconds) -> LocalizedText {
        guard isKnown else {
            return LocalizedText(
                "Genuine keys, webhooks and registrations are answered 503.",
                "На подлинные ключи, вебхуки и регистрации отвечают 503.")
        }
        return LocalizedText(
            "Chats are authorized with the revocations of \(age(now)); webhooks and registrations are answered 503, and webhooks may not be repeated.",
            "Доступ в чат проверяется по отзывам на \(age(now)), а на вебхуки и регистрации отвечают 503; вебхуки могут больше не прийти.")
    }

    private func age(_ now: UnixSeconds) -> LocalizedText {
        let age = TextFragments.duration(seconds: now.elapsed(since: knownAt))
        return LocalizedText("\(TextFragments.time(knownAt)), \(age) ago", "\(TextFragments.time(knownAt)), \(age) назад")
    }

    func problems(now: UnixSeconds) -> [Problem] {
        [unknown, late(now), copy].compactMap(\.self)
    }

    private static var repairTheStore: LocalizedText {
        LocalizedText(
            "Make the store usable again; the revocations are then read automatically.",
            "Верните хранилище в строй; тогда отзывы прочитаются сами.")
    }

    private var unknown: Problem? {
        guard !isKnown else { return nil }
        let copy = copyProblem.map { LocalizedText(" Deskgate \($0).", " Deskgate: \($0).") } ?? LocalizedText(verbatim: "")
        return Problem(
            .revocationsUnknown,
            LocalizedText(
                "It is not known which keys are revoked, so genuine keys are answered 503 (revocations_not_loaded).\(copy)",
                "Неизвестно, какие ключи отозваны, поэтому на подлинные ключи отвечают 503 (revocations_not_loaded).\(copy)"),
            remedy: repairTheFile.map { LocalizedText("\(Self.repairTheStore) \($0)", "\(Self.repairTheStore) \($0)") }
                ?? Self.repairTheStore)
    }

    private func late(_ now: UnixSeconds) -> Problem? {
        guard isKnown, source == .copy || now.elapsed(since: knownAt) > Self.freshSeconds else { return nil }
        return Problem(
            .revocationsLate, as: .warning,
            LocalizedText(
                "Authorization continues with the revocations of \(age(now)); keys that were revoked since then are still valid here.",
                "Доступ проверяется по отзывам на \(age(now)); тех, кого отозвали позже, здесь ещё пускают."),
            remedy: Self.repairTheStore)
    }

    private var copy: Problem? {
        guard isKnown, let copyProblem else { return nil }
        return Problem(
            .revocationsCopy, as: .warning,
            LocalizedText(
                "Deskgate \(copyProblem). A start without the store would use older revocations, or answer 503.",
                "Deskgate: \(copyProblem). Запуск без хранилища взял бы старые отзывы или отвечал бы 503."),
            remedy: repairTheFile ?? (copyWaitsForStore ? Self.waitForTheStore : Self.repairTheDirectory))
    }

    private static var waitForTheStore: LocalizedText {
        LocalizedText(
            "Make the store usable again; the copy is then written by itself.",
            "Верните хранилище в строй; тогда копия запишется сама.")
    }

    private static var repairTheDirectory: LocalizedText {
        LocalizedText(
            "Make the directory of store.revocations_path writable for the service, or name another one; it is tried again by itself.",
            "Дайте службе право записи в каталог store.revocations_path или укажите другой; попытки повторяются сами.")
    }

    private var repairTheFile: LocalizedText? {
        copyCommand.map { command in
            LocalizedText(
                "The copy is tried again by itself. As root, run: \(command)",
                "Попытки повторяются сами. От имени root выполните: \(command)")
        }
    }

    static let schema = Schema.object([
        ("source", Schema.choice(of: Source.self)), ("known_at", AdminSchema.maybeTime),
        ("copied_at", AdminSchema.maybeTime), ("copy_problem", AdminSchema.maybeText),
    ])

    /// The member `revocations` of `GET /v1/status`.
    package var json: JSONValue {
        func time(_ moment: UnixSeconds) -> JSONValue { moment == 0 ? .null : .string(RFC3339.text(moment.milliseconds)) }
        return [
            "source": .string(source.rawValue), "known_at": time(knownAt), "copied_at": time(copiedAt),
            "copy_problem": copyProblem.map { .string($0) } ?? .null,
        ]
    }
}
