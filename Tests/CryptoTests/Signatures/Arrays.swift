@testable import Crypto

// `#expect` cannot capture spans.

extension VerifyingKey {
    func accepts(_ signature: some Collection<UInt8>, for message: some Collection<UInt8>) -> Bool {
        verify(Array(signature).span, Array(message).span)
    }
}

extension SigningKey {
    func signature(of message: [UInt8]) throws -> [UInt8] {
        try sign(message.span)
    }
}

extension ECDSASignature {
    static func der(of raw: [UInt8]) -> [UInt8]? {
        der(ofRaw: raw.span)
    }
}
