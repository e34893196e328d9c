package import Crypto

/// An app that may use the chat, with the secrets that make and prove its users' keys.
package struct Application: Sendable {
    /// One secret of an app.
    package struct Key: Sendable {
        /// Its number, unique within the app; part of each security key made with it.
        package let id: UInt32
        /// The secret, ready for use.
        package let secret: HMACKey<SHA256>

        /// Makes a key.
        package init(id: UInt32, secret: HMACKey<SHA256>) {
            self.id = id
            self.secret = secret
        }
    }

    /// The app's id: UTF-8, compared byte by byte.
    package let id: [UInt8]
    /// Its keys, by rising id.
    package let keys: [Key]

    /// Makes an app; two keys of one id are a programmer's mistake and trap.
    package init(id: String, keys: [Key]) {
        self.id = Array(id.utf8)
        self.keys = keys.sorted { $0.id < $1.id }
        precondition(Set(keys.map(\.id)).count == keys.count, "an app's key ids are unique")
    }

    /// The secret of a key id.
    package func secret(of keyID: UInt32) -> HMACKey<SHA256>? {
        for key in keys where key.id == keyID {
            return key.secret
        }
        return nil
    }
}
