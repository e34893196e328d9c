internal import Core
internal import Time

extension RefusedReload {
    /// So many reasons stand in the text.
    private static let mostTold = 3

    /// The reasons, and what to do about them.
    var problem: Problem {
        let told = (keys.isEmpty ? reasons : keys).prefix(Self.mostTold)
        let rest = count - told.count
        let list = told.joined(separator: keys.isEmpty ? "; " : ", ")
        let all = rest == 0 ? Told(verbatim: list) : Told("\(list), and \(rest) more", "\(list) и ещё \(rest)")
        let time = RFC3339.text(at)
        guard keys.isEmpty else {
            return Problem(
                .reloadRefused,
                Told(
                    "The reload at \(time) was refused as a whole, because only a restart takes over \(all).",
                    "Перезагрузка настроек \(time) отклонена целиком: \(all) вступает в силу только после перезапуска."),
                remedy: Told(
                    "Restart the service, or set the keys back and \(Told.reload). Until then the former configuration stays in force.",
                    "Перезапустите службу или верните прежние значения и \(Told.reload). До тех пор действуют прежние настройки."))
        }
        return Problem(
            .reloadRefused,
            Telling.sentence(
                Told(
                    "The reload at \(time) was refused, and the former configuration stays in force: \(all)",
                    "Перезагрузка настроек \(time) отклонена, действуют прежние: \(all)")),
            remedy: Told(
                "Mend that, see that deskgate check finds nothing, and \(Told.reload).",
                "Устраните это, убедитесь, что deskgate check ничего не находит, и \(Told.reload)."))
    }
}
