internal import Core
package import Time

/// Warnings about keys that have expired or will expire soon.
extension Configuration {
    func keyWarnings(_ now: UnixSeconds) -> [ConfigurationWarning] {
        apps.enumerated().compactMap { index, app in
            let path = "$.apps[\(index)].keys"
            if let end = app.lastVerifying, keyPolicy.isOver(end, now: now), app.verify?.mode != .backend {
                let time = RFC3339.text(end.milliseconds)
                return ConfigurationWarning(
                    path: path,
                    message: LocalizedText(
                        "the last one ended at \(time), so all users of this app are denied; ",
                        "последний кончился \(time), поэтому всем пользователям приложения отказывают; ")
                        + LocalizedText(
                            "correct its \"not_after\", or run deskgate secret rotate",
                            "исправьте его \"not_after\" или выполните deskgate secret rotate"),
                    isAboutCredential: app.lastMinting != nil)
            }
            guard !app.mintingKeys(now).isEmpty else {
                return ConfigurationWarning(
                    path: path,
                    message: LocalizedText(
                        "none is active and before its \"not_after\", so no security key can be minted for this app; ",
                        "нет активного с не наступившим \"not_after\", поэтому выдать ключ этому приложению нельзя; ")
                        + LocalizedText(
                            "make one \"active\", or run deskgate secret rotate",
                            "сделайте один \"active\" или выполните deskgate secret rotate"),
                    isAboutCredential: app.lastMinting != nil)
            }
            guard let last = app.lastMinting, last < now + Self.renewalSeconds else { return nil }
            return ConfigurationWarning(
                path: path,
                message: LocalizedText(
                    "no security key can be minted for this app after \(RFC3339.text(last.milliseconds)), ",
                    "выдать ключ этому приложению нельзя будет после \(RFC3339.text(last.milliseconds)), ")
                    + LocalizedText(
                        "the \"not_after\" of the last active one; add one with deskgate secret rotate",
                        "это \"not_after\" последнего активного; добавьте новый командой deskgate secret rotate"),
                isAboutCredential: true)
        }
    }
}

extension Configuration.App {
    fileprivate func mintingKeys(_ now: UnixSeconds) -> [Key] {
        keys.filter { key in key.state == .active && key.notAfter.map { now <= $0 } ?? true }
    }

    /// The latest `not_after` of the keys; later, no key is accepted.
    /// - Returns: nil when a key has no `not_after`, or the app has no keys.
    fileprivate var lastVerifying: UnixSeconds? {
        let ends = keys.compactMap(\.notAfter)
        return ends.count == keys.count ? ends.max() : nil
    }

    /// The latest `not_after` of the active keys, after which no security key can be minted for the app.
    /// - Returns: nil when an active key has no `not_after`, or no key is active.
    package var lastMinting: UnixSeconds? {
        let active = keys.filter { $0.state == .active }
        let ends = active.compactMap(\.notAfter)
        return ends.count == active.count ? ends.max() : nil
    }
}
