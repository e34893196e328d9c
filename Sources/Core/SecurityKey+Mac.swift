internal import Crypto

extension SecurityKey {
    /// Domain separation: a secret used elsewhere by mistake still makes no security keys.
    private static let label: StaticString = "deskgate/sk/v1"

    /// The MAC over a head and the two identifiers, each with its length before it, so that (`ab`, `c`) and (`a`, `bc`) differ.
    static func mac(
        secret: HMACKey<SHA256>, head: Span<UInt8>, appID: Span<UInt8>, userID: Span<UInt8>
    ) throws(CryptoError) -> InlineArray<32, UInt8> {
        try secret.code { message throws(CryptoError) in
            try message.append(label)
            try message.append(head)
            try append(appID, to: &message)
            try append(userID, to: &message)
        }
    }

    private static func append(_ identifier: Span<UInt8>, to message: inout HMACMessage) throws(CryptoError) {
        let count = UInt32(identifier.count)
        let length: [4 of UInt8] = [
            UInt8(truncatingIfNeeded: count >> 24), UInt8(truncatingIfNeeded: count >> 16), UInt8(truncatingIfNeeded: count >> 8),
            UInt8(truncatingIfNeeded: count),
        ]
        try message.append(length.span)
        try message.append(identifier)
    }
}
