internal import Crypto
package import HTTPClient
package import HTTPServer
internal import POSIX
package import Time

/// Explains why a listener of the service did not answer a command.
package enum ListenerFailure {
    /// Returns a text that the process hangs, with the remedy, as the end of a sentence that begins with the listener; nil when the error
    /// has another cause.
    package static func hang(_ error: ClientError, at address: ListenAddress, usesTLS: Bool) -> String? {
        let hang = "its process hangs; see systemctl status deskgate and the log, and restart it"
        // Other programs do not create files in the directory of a Unix socket.
        let remedy =
            switch address {
            case .unix: hang
            case .tcp: "\(hang); or another program has the port: ss -ltnp"
            }
        return switch error {
        // With TLS, the handshake is part of connecting, and a hanging process does not complete it.
        case .timeout(.connecting) where !usesTLS: "does not accept the connection in time: a firewall is in the way, or \(remedy)"
        case .timeout(.queued): nil
        case .timeout: "accepts the connection, but does not answer: \(remedy)"
        // libcurl does not wait for space in the queue of a Unix socket.
        case .connect where hasFullQueue(address): "does not accept the waiting connections: \(remedy)"
        default: nil
        }
    }

    private static func hasFullQueue(_ address: ListenAddress) -> Bool {
        guard case .unix(let path) = address else { return false }
        return (try? UnixSocket.probe(path)) == false
    }

    /// Returns the problem of the certificate with its remedy; nil when the error has another cause.
    /// - Parameter identity: the listener's current certificate and key files.
    package static func certificate(_ error: ClientError, _ identity: TLSIdentity, now: UnixSeconds) -> String? {
        guard case .tls(_, isUntrusted: true) = error else { return nil }
        guard let end = expiry(identity) else { return nil }
        let time = RFC3339.text(end.milliseconds)
        if end <= now { return "its certificate expired at \(time); renew it in its file, then run deskgate reload" }
        return
            "it presents another certificate than its file has, which is valid until \(time); if the file was renewed, deskgate reload puts "
            + "it in force; \(error)"
    }

    /// Returns the expiry of the certificate in a listener's file; nil when it cannot be read.
    package static func expiry(_ identity: TLSIdentity) -> UnixSeconds? {
        CertificatePair.expiry(ofCertificate: identity.certificate).map { UnixSeconds(rawValue: $0) }
    }
}
