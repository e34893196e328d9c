package import Configuration
internal import Core

/// The process at the address of a configuration's admin listener, by its `ListenerProof`.
package enum AdminListenerIdentity: Sendable, Equatable {
    /// A service that has one of the configuration's admin tokens.
    case service
    case nobody
    /// Another process, or a service whose tokens or certificate are no longer those of the configuration; the text contains the failed
    /// check.
    case unproven(String)
    /// A process that accepts connections without responding; a sentence with the remedy.
    case hangs(String)
    /// This user may not open the socket at which the service may listen; a sentence with the remedy.
    case forbidden(String)
    /// Nothing can be proven: the configuration has no token, its port is 0, or the listener could not be asked.
    case unknown

    /// The steps when a process did not prove its identity. It may well be the service.
    package static let remedy =
        "\(LocalizedText.reload.english) if its token or certificate has changed; if a port mapping or a proxy leads to the service, run the "
        + "command in the service's container, or use admin.unix; stop the process if it is not Deskgate"

    /// Queries the listener without sending a token. Blocks until the listener answers, at most for some seconds.
    package init(_ admin: Configuration.Admin) {
        guard !admin.tokens.isEmpty, let call = AdminCall(admin, tokens: admin.tokens) else {
            self = .unknown
            return
        }
        do throws(AdminAccess.Failure) {
            self = try call.identity()
        } catch {
            self = error.isForbidden ? .forbidden(error.description) : .unknown
        }
    }
}
