/// A revocation's subject as columns, at most one of which has a value; none for all keys of the app. For a forgotten user `userID` is the
/// digest and `former` its salt.
package struct RevokedColumns {
    package let userID: String?
    package let salt: [UInt8]?
    package let keyID: Int64?
    package let former: [UInt8]?

    package init(userID: String?, salt: [UInt8]?, keyID: Int64?, former: [UInt8]? = nil) {
        self.userID = userID
        self.salt = salt
        self.keyID = keyID
        self.former = former
    }

    package init(_ subject: Revocation.Subject) {
        switch subject {
        case .everyKey: self.init(userID: nil, salt: nil, keyID: nil)
        case .user(let userID): self.init(userID: userID, salt: nil, keyID: nil)
        case .formerUser(let former): self.init(userID: former.name, salt: nil, keyID: nil, former: former.salt)
        case .keyID(let id): self.init(userID: nil, salt: nil, keyID: Int64(id))
        case .securityKey(let salt): self.init(userID: nil, salt: salt, keyID: nil)
        }
    }

    /// Nil for a salt, key id or digest that Deskgate never writes.
    package var subject: Revocation.Subject? {
        if let former { return userID.flatMap { FormerUser(name: $0, salt: former) }.map { .formerUser($0) } }
        if let userID { return .user(userID) }
        if let salt { return salt.count == SecurityKey.saltCount ? .securityKey(salt: salt) : nil }
        if let keyID { return UInt32(exactly: keyID).map { .keyID($0) } }
        return .everyKey
    }
}
