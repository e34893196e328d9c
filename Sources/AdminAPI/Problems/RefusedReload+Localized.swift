internal import Core
internal import Time

extension RefusedReload {
    /// The maximum number of reasons in the text.
    private static let maximumReported = 3

    /// The reasons, and the remedy.
    var problem: Problem {
        let reported = (keys.isEmpty ? reasons : keys).prefix(Self.maximumReported)
        let rest = count - reported.count
        let list = reported.joined(separator: keys.isEmpty ? "; " : ", ")
        let all = rest == 0 ? LocalizedText(verbatim: list) : LocalizedText("\(list), and \(rest) more", "\(list) и ещё \(rest)")
        let time = RFC3339.text(at)
        guard keys.isEmpty else {
            return Problem(
                .reloadRefused,
                LocalizedText(
                    "The reload at \(time) was refused as a whole, because only a restart takes over \(all).",
                    "Перезагрузка настроек \(time) отклонена целиком: \(all) вступает в силу только после перезапуска."),
                remedy: LocalizedText(
                    "Restart the service, or restore the keys and \(LocalizedText.reload). Until then the former configuration stays in force.",
                    "Перезапустите службу или верните прежние значения и \(LocalizedText.reload). До тех пор действуют прежние настройки."))
        }
        return Problem(
            .reloadRefused,
            TextFragments.sentence(
                LocalizedText(
                    "The reload at \(time) was refused, and the former configuration stays in force: \(all)",
                    "Перезагрузка настроек \(time) отклонена, действуют прежние: \(all)")),
            remedy: LocalizedText(
                "Correct that, check that deskgate check finds nothing, and \(LocalizedText.reload).",
                "Устраните это, убедитесь, что deskgate check ничего не находит, и \(LocalizedText.reload)."))
    }
}
