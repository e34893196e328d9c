internal import Core
internal import Time

/// The checks of a key, in the order of authorization.
enum KeyCheck: Int, CaseIterable, Comparable {
    case key, app, keyID, signature, life, revocations, backend

    static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }

    var subject: Explanation.Subject {
        switch self {
        case .key: .key
        case .app: .app
        case .keyID: .keyID
        case .signature: .signature
        case .life: .life
        case .revocations: .revocations
        case .backend: .backend
        }
    }
}

extension Denial {
    var check: KeyCheck {
        switch self {
        case .unknownApp: .app
        case .unknownKey: .keyID
        case .wrongMac: .signature
        case .issuedInFuture, .expired, .tooOld, .keyRetired: .life
        case .revoked: .revocations
        case .backendDenied, .backendUndecided: .backend
        }
    }

    /// The cause of such a denial: one sentence.
    func sentence(_ facts: KeyFacts) -> LocalizedText {
        let (key, id) = (facts.key, facts.key?.keyID ?? 0)
        let issued = TextFragments.time(key?.issuedAt ?? facts.now), now = TextFragments.time(facts.now)
        func since(_ earlier: UnixSeconds?) -> LocalizedText {
            TextFragments.duration(seconds: facts.now.elapsed(since: earlier ?? facts.now))
        }
        switch self {
        case .unknownApp: return LocalizedText("No app with this app_id is configured.", "Приложения с таким app_id в настройках нет.")
        case .unknownKey:
            guard let ids = facts.keyIDs else {
                return LocalizedText(
                    "The key was made with the key id \(id), and the app has no key.",
                    "Ключ создан с номером ключа \(id), а у приложения ключей нет.")
            }
            return LocalizedText(
                "The key was made with the key id \(id), and the app has only \(ids).",
                "Ключ создан с номером ключа \(id), а у приложения есть только \(ids).")
        case .wrongMac:
            return LocalizedText(
                "The key was not made with the secret of key id \(id) for this app_id and this user_id.",
                "Ключ создан не секретом с номером \(id) для этого app_id и этого user_id.")
        case .issuedInFuture:
            let ahead = TextFragments.duration(seconds: facts.now.remaining(until: key?.issuedAt ?? facts.now))
            return LocalizedText(
                "The key was issued at \(issued), which is \(ahead) ahead of this machine's clock (\(now)).",
                "Ключ выдан \(issued), это на \(ahead) впереди часов этой машины (\(now)).")
        case .expired:
            let (end, ago) = (TextFragments.time(key?.expiresAt ?? 0), since(key?.expiresAt))
            return LocalizedText("The key expired at \(end), \(ago) ago.", "Срок ключа истёк \(end), \(ago) назад.")
        case .tooOld:
            let longest = facts.policy.maximumLifetimeSeconds.map { TextFragments.duration(seconds: $0) } ?? LocalizedText("nothing", "0 с")
            let ago = since(key?.issuedAt)
            return LocalizedText(
                "The key was issued at \(issued), \(ago) ago, and keys of this app may be \(longest) old.",
                "Ключ выдан \(issued), \(ago) назад, а ключам этого приложения может быть не больше \(longest).")
        case .keyRetired:
            let end = facts.secretEnd.map { TextFragments.time($0) } ?? LocalizedText("its not_after", "своего not_after")
            let ago = since(facts.secretEnd)
            return LocalizedText(
                "The secret with the key id \(id) verifies nothing since \(end), \(ago) ago.",
                "Секрет с номером ключа \(id) ничего не проверяет с \(end), это было \(ago) назад.")
        case .revoked: return facts.revocationSentence
        case .backendDenied:
            return LocalizedText("The app's backend denies this user.", "Сервер приложения отказывает этому пользователю.")
        case .backendUndecided:
            return LocalizedText(
                "The app's backend could not decide, and the app's rule (verify.when_undecided) denies then.\(facts.backendCause)",
                "Сервер приложения не смог решить, а правило приложения (verify.when_undecided) тогда отказывает.\(facts.backendCause)")
        }
    }

    private static let newKey = LocalizedText(
        "Have the app fetch a new key from its backend, and hand it to the chat.",
        "Приложение должно получить новый ключ у своего сервера и передать его чату.")

    /// The remedy, in sentences.
    func remedy(_ facts: KeyFacts) -> LocalizedText {
        let newKey = Self.newKey
        switch self {
        case .unknownApp:
            return LocalizedText(
                "Compare the app_id byte for byte with apps[].app_id in the configuration\(facts.appHint) ",
                "Сравните app_id побайтно с apps[].app_id в настройках\(facts.appHint) ")
                + LocalizedText(
                    "If the app is new, configure it and \(LocalizedText.reload).",
                    "Если приложение новое, добавьте его и \(LocalizedText.reload).")
        case .unknownKey:
            let stale =
                facts.closing.ofReplicas(lacksKey: true) == nil
                ? LocalizedText(verbatim: "")
                : LocalizedText(
                    ", or this replica has not been reloaded: copy the configuration and the secrets here and \(LocalizedText.reload)",
                    ", либо эта реплика не перечитала настройки: скопируйте сюда настройки и секреты и \(LocalizedText.reload)")
            return LocalizedText(
                "Either the secret has left the configuration, or the key was made for another environment\(stale). \(newKey) ",
                "Либо секрет убран из настроек, либо ключ создан для другой среды\(stale). \(newKey) ")
                + LocalizedText(
                    "If many users still have such keys, configure the former secret again under apps[].keys until they have expired.",
                    "Если такие ключи ещё у многих, верните прежний секрет в apps[].keys, пока их срок не истечёт.")
        case .wrongMac: return Self.wrongMacRemedy
        case .issuedInFuture:
            let skew = TextFragments.duration(seconds: facts.policy.clockSkewSeconds)
            return LocalizedText(
                "Set the clock of the machine that minted the key, or of this one; a difference of \(skew) is allowed ",
                "Установите часы машины, которая выдала ключ, или этой; допускается разница \(skew) ")
                + LocalizedText(verbatim: "(security_keys.clock_skew_seconds).")
        case .expired:
            return LocalizedText(
                "\(newKey) If keys expire while people chat, mint them for longer (ttl), or fetch a new one at every start of the app. ",
                "\(newKey) Если ключи истекают посреди разговора, выдавайте их на больший срок (ttl) или берите новый при каждом запуске. ")
                + LocalizedText(
                    "If new keys are denied too, compare the clock of this machine (deskgate doctor) with that of the one that mints.",
                    "Если отказывают и новым ключам, сравните часы этой машины (deskgate doctor) с часами той, которая их выдаёт.")
        case .tooOld:
            return LocalizedText(
                "\(newKey) The maximum lifetime is longest_life_seconds of apps[].security_keys or of security_keys.",
                "\(newKey) Наибольший срок задаёт longest_life_seconds в apps[].security_keys или в security_keys.")
        case .keyRetired:
            // Without an active key no new key can be minted.
            let last = facts.mintingEnd.map { ExpiringCredential(.appKey, of: facts.appID ?? "", expiresAt: $0) }
            let ended = last.flatMap { $0.hasEnded(now: facts.now) ? $0.remedy : nil }
            let minting =
                ended
                ?? LocalizedText(
                    "Have the backend mint with an active key (deskgate status names it).",
                    "Пусть сервер выдаёт ключи действующим ключом (его называет deskgate status).")
            return LocalizedText(
                "\(minting) \(newKey) If many users still have such keys, set a later not_after for the secret under apps[].keys.",
                "\(minting) \(newKey) Если такие ключи ещё у многих, задайте секрету в apps[].keys более поздний not_after.")
        case .revoked: return facts.revocationRemedy
        case .backendDenied:
            return LocalizedText(
                "Ask the backend's operator why; deskgate_authorize_requests_total counts such denials as backend_denied.",
                "Спросите тех, кто обслуживает сервер; deskgate_authorize_requests_total считает такие отказы как backend_denied.")
        case .backendUndecided:
            let status = facts.backendStatus
            return ((status?.lastFailure ?? status?.lastNewKeyFailure)?.reason ?? .backendUnreachable).remedy
        }
    }

    private static let wrongMacRemedy =
        LocalizedText(
            "Check in this order: the file's keys are in force (deskgate config show --diff); the user_id is byte for byte the one that ",
            "Проверьте по порядку: ключи из файла действуют (deskgate config show --diff); user_id побайтно тот, ")
        + LocalizedText(
            "user_id of the key (capitals, spaces, a prefix); the ",
            "для которого выдан ключ (заглавные буквы, пробелы, приставка); ")
        + LocalizedText(
            "app_id is too; the backend that mints has the same secret for this key id as apps[].keys, which another environment has ",
            "app_id тоже; у сервера, который выдаёт ключи, для этого номера тот же секрет, что в apps[].keys, а в другой среде он ")
        + LocalizedText(
            "not; nothing on the way has changed the key. deskgate key mint makes a key to compare with.",
            "другой; по пути ключ ничто не изменило. Ключ для сравнения создаёт deskgate key mint.")
}
