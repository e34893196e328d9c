/// The credentials of a systemd unit: secret files that systemd provides only to this unit (systemd.exec(5), `LoadCredential=`).
enum Credential {
    static let directoryVariable = "CREDENTIALS_DIRECTORY"

    static let remedy =
        "while the unit runs (\(Configuration.startOfUnit)), run this as root with \(directoryVariable)=/run/credentials/deskgate.service; "
        + "within it, give it LoadCredential=NAME:FILE"

    /// Whether a text is a valid credential name, without a path.
    static func isName(_ text: String) -> Bool {
        (1...255).contains(text.utf8.count) && text.utf8.first != UInt8(ascii: ".") && text.utf8.allSatisfy(isPart)
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
