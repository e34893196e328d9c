internal import Core
internal import Time

extension ExpiringCredential {
    /// The problem of a credential that expires soon, or has expired.
    func problem(now: UnixSeconds) -> Problem {
        let hasEnded = hasEnded(now: now)
        return Problem(problemKind, as: hasEnded ? .problem : .warning, of: name, hasEnded ? ended : ends(now), remedy: remedy)
    }

    private var problemKind: Problem.Kind {
        switch kind {
        case .listenerCertificate: .listenerCertificateEnds
        case .notifierCertificate: .credentialEnds
        case .appKey: .appKeyEnds
        }
    }

    private var ended: LocalizedText {
        let at = TextFragments.time(expiresAt)
        return switch kind {
        case .listenerCertificate:
            LocalizedText("The certificate of the \(name) listener expired at \(at).", "Сертификат слушателя \(name) истёк \(at).")
        case .notifierCertificate: LocalizedText("The certificate of \(name) expired at \(at).", "Сертификат канала \(name) истёк \(at).")
        case .appKey:
            LocalizedText(
                "The last active key of \(name) ended at \(at).", "Срок последнего активного ключа приложения \(name) вышел \(at).")
        }
    }

    private func ends(_ now: UnixSeconds) -> LocalizedText {
        let (left, at) = (TextFragments.duration(seconds: now.remaining(until: expiresAt)), TextFragments.time(expiresAt))
        return switch kind {
        case .listenerCertificate:
            LocalizedText(
                "The certificate of the \(name) listener expires in \(left), at \(at).",
                "Сертификат слушателя \(name) истекает через \(left), \(at).")
        case .notifierCertificate:
            LocalizedText(
                "The certificate of \(name) expires in \(left), at \(at).", "Сертификат канала \(name) истекает через \(left), \(at).")
        case .appKey:
            LocalizedText(
                "The last active key of \(name) ends in \(left), at \(at).",
                "Срок последнего активного ключа приложения \(name) выйдет через \(left), \(at).")
        }
    }
}
