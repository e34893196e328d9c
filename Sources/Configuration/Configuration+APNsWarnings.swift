internal import Core
internal import JSON
internal import Notifiers

extension Configuration {
    /// Warnings about APNs identifiers that Apple would reject, or that appear to belong to another key.
    var apnsWarnings: [ConfigurationWarning] {
        notifiers.flatMap { notifier -> [ConfigurationWarning] in
            guard case .push(let push) = notifier.kind, case .apns(let apns) = push.provider,
                case .token(_, let keyID, let teamID) = apns.credential
            else { return [] }
            let place = "$.notifiers.\(notifier.name)"
            var warnings: [ConfigurationWarning] = []
            if apns.topic.hasPrefix("\(teamID).") {
                let text = LocalizedText(
                    "begins with the team_id, which is no part of a bundle identifier; remove it",
                    "начинается с team_id, который не входит в идентификатор приложения; уберите его")
                warnings.append(ConfigurationWarning(path: "\(place).topic", message: text))
            }
            for (key, id) in [("key_id", keyID), ("team_id", teamID)] where id != id.uppercased() {
                let text = LocalizedText(
                    "has small letters, and Apple's have capitals only", "содержит строчные буквы, а у Apple бывают только прописные")
                warnings.append(ConfigurationWarning(path: "\(place).\(key)", message: text))
            }
            if let named = keyIDInFileName(at: "\(place).key"), named != keyID.uppercased() {
                let text = LocalizedText(
                    "differs from the name of the key's file, which Apple calls AuthKey_KEYID.p8; check which one is correct",
                    "не совпадает с именем файла ключа, который Apple называет AuthKey_KEYID.p8; проверьте, что верно")
                warnings.append(ConfigurationWarning(path: "\(place).key_id", message: text))
            }
            return warnings
        }
    }

    /// Returns the identifier in the name of a key file as Apple named it; nil for any other file name.
    private func keyIDInFileName(at path: String) -> String? {
        guard let file = settings.first(where: { $0.path == "\(path).file" })?.value.text, let mark = file.firstRange(of: "AuthKey_")
        else { return nil }
        let rest = file[mark.upperBound...]
        return rest.count == 13 && rest.hasSuffix(".p8") ? String(rest.dropLast(3)) : nil
    }
}
