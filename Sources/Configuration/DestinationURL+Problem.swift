extension DestinationURL {
    /// The mistake in an address. The description contains the remedy, and quotes at most one character.
    enum Problem: Error, Equatable {
        case space, noScheme, user, international, notASCII, fragment, noBrackets, noHost, host, port
        /// A character that must be escaped.
        case character(UInt8)
    }
}

extension DestinationURL.Problem: CustomStringConvertible {
    var description: String {
        switch self {
        case .space: "an address cannot contain white space; remove it, or write %20 for a space"
        case .noScheme: "an address begins with a scheme and ://, such as https://; add them"
        case .user: "an address is no place for a user or a password; remove all up to the @"
        case .international:
            "the host has letters beyond ASCII; give it in punycode, which begins with xn--, as the command idn2 prints it"
        case .notASCII: "write each UTF-8 byte of a non-ASCII letter as % and two hexadecimal digits"
        case .fragment: "the part after # is never sent; remove it"
        case .noBrackets: "write an IPv6 address in brackets, as in http://[::1]:8080/"
        case .noHost: "the host is missing, as in https://example.com/"
        case .host: "the host contains an invalid character; use only letters, digits, \"-\", \"_\" and \".\""
        case .port: "expected a port from 1 to 65535 after the colon of the host"
        case .character(let byte):
            "an address cannot contain \(Character(Unicode.Scalar(byte))); write %\(String(byte, radix: 16, uppercase: true)) in its place"
        }
    }
}
