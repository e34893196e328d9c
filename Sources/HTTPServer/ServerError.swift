/// Why a server could not start, with what to do about it.
package struct ServerError: Error, Equatable, CustomStringConvertible {
    /// What went wrong.
    package enum Kind: Sendable, Equatable {
        /// Another process listens there.
        case addressInUse
        /// The system refused the address.
        case cannotListen
        /// The certificate and key cannot be used.
        case unusableCertificate
        /// The library refused to start.
        case cannotStart
    }

    /// What went wrong.
    package let kind: Kind
    /// One line for a person: the cause and the remedy.
    package let description: String
}
