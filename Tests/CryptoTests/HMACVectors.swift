import Testing

/// A published HMAC example: a key, a message and the MAC, or the beginning of the MAC.
struct HMACVector: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let key: [UInt8]
    let message: [UInt8]
    let code: String

    init(_ name: String, key: [UInt8], message: [UInt8], code: String) {
        testDescription = name
        self.key = key
        self.message = message
        self.code = code
    }

    private static let greeting = Array("Hi There".utf8)
    private static let question = Array("what do ya want for nothing?".utf8)
    private static let jefe = Array("Jefe".utf8)
    private static let longKey = Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8)

    /// RFC 4231 section 4; case 5 publishes only the first 16 bytes of its MAC.
    static let sha256 = [
        HMACVector(
            "RFC 4231 case 1", key: repeated(0x0B, 20), message: greeting,
            code: "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"),
        HMACVector(
            "RFC 4231 case 2", key: jefe, message: question,
            code: "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"),
        HMACVector(
            "RFC 4231 case 3", key: repeated(0xAA, 20), message: repeated(0xDD, 50),
            code: "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"),
        HMACVector(
            "RFC 4231 case 4", key: Array(0x01...0x19), message: repeated(0xCD, 50),
            code: "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b"),
        HMACVector(
            "RFC 4231 case 5", key: repeated(0x0C, 20), message: Array("Test With Truncation".utf8),
            code: "a3b6167473100ee06e0c796c2955552b"),
        HMACVector(
            "RFC 4231 case 6", key: repeated(0xAA, 131), message: longKey,
            code: "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"),
        HMACVector(
            "RFC 4231 case 7", key: repeated(0xAA, 131),
            message: Array(
                """
                This is a test using a larger than block-size key and a larger than block-size data. \
                The key needs to be hashed before being used by the HMAC algorithm.
                """.utf8),
            code: "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2"),
    ]

    /// RFC 2202 section 3, and the help desk's example of a signature.
    static let sha1 = [
        HMACVector(
            "RFC 2202 case 1", key: repeated(0x0B, 20), message: greeting,
            code: "b617318655057264e28bc0b6fb378c8ef146be00"),
        HMACVector(
            "RFC 2202 case 2", key: jefe, message: question,
            code: "effcdf6ae5eb2fa2d27416d5f184df9c259a7c79"),
        HMACVector(
            "RFC 2202 case 3", key: repeated(0xAA, 20), message: repeated(0xDD, 50),
            code: "125d7342b9ac11cd91a39af48aa17b4f63f175d3"),
        HMACVector(
            "RFC 2202 case 4", key: Array(0x01...0x19), message: repeated(0xCD, 50),
            code: "4c9007f4026250c6bc8414f9bf50c86c2d7235da"),
        HMACVector(
            "RFC 2202 case 5", key: repeated(0x0C, 20), message: Array("Test With Truncation".utf8),
            code: "4c1a03424b55e07fe7f27be1d58bb9324a9a5a04"),
        HMACVector(
            "RFC 2202 case 6", key: repeated(0xAA, 80), message: longKey,
            code: "aa4ae5e15272d00e95705637ce8a3b55ed402112"),
        HMACVector(
            "RFC 2202 case 7", key: repeated(0xAA, 80),
            message: Array("Test Using Larger Than Block-Size Key and Larger Than One Block-Size Data".utf8),
            code: "e8e99d0f45237d786d6bbaa7965c7808bbff1a91"),
        HMACVector(
            "X-Pyrus-Sig", key: Array("my-secret-key".utf8), message: Array(#"{"task_id": 12345}"#.utf8),
            code: "5f469f049573dd4aaa8d02fac6456e633e83f4df"),
    ]
}
