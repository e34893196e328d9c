internal import Crypto
package import HTTPClient
package import HTTPServer
package import Time

/// Explains why a command does not accept the certificate of one of the service's own listeners.
package enum PresentedCertificate {
    /// What is wrong with the certificate, and the remedy; nil when the error is about something else.
    /// - Parameter identity: of the listener, as its files have it now.
    package static func explain(_ error: ClientError, _ identity: TLSIdentity, now: UnixSeconds) -> String? {
        guard case .tls = error else { return nil }
        guard let end = expiry(identity) else { return nil }
        let time = RFC3339.text(end.milliseconds)
        if end <= now { return "its certificate expired at \(time); renew it in its file, then run deskgate reload" }
        return
            "it presents another certificate than its file has, which is valid until \(time); if the file was renewed, deskgate reload puts "
            + "it in force; \(error)"
    }

    /// When the certificate in a listener's file expires; nil when it cannot be read.
    package static func expiry(_ identity: TLSIdentity) -> UnixSeconds? {
        CertificatePair.expiry(ofCertificate: identity.certificate).map { UnixSeconds(rawValue: $0) }
    }
}
