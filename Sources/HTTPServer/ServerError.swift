package struct ServerError: Error, Equatable, CustomStringConvertible {
    package enum Kind: Sendable, Equatable {
        case addressInUse
        case cannotListen
        case unusableCertificate
        case cannotStart
    }

    package let kind: Kind
    /// One line for the operator: the cause and the remedy.
    package let description: String
}
