/// Why a server could not be started.
package struct HTTP2Error: Error, Equatable, CustomStringConvertible {
    /// One line for a person: the place and the remedy.
    package let description: String
}
