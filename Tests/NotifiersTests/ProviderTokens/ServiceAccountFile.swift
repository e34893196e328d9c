import JSON
import TestSupport

/// A service account's key file whose members a test can change.
struct ServiceAccountFile {
    var object: JSONObject

    init(tokenURI: String = "https://oauth2.googleapis.com/token") {
        object = [
            "type": "service_account", "project_id": "shop-1234", "private_key_id": "0123456789abcdef",
            "private_key": .string(TestKey.sharedRSA.privatePEM), "client_email": "deskgate@shop-1234.iam.gserviceaccount.com",
            "client_id": "1", "auth_uri": "https://accounts.google.com/o/oauth2/auth", "token_uri": .string(tokenURI),
            "universe_domain": "googleapis.com",
        ]
    }

    var bytes: [UInt8] { JSONValue.object(object).serialized() }

    /// The same with another value for a member, or without it.
    func with(_ key: String, _ value: JSONValue?) -> ServiceAccountFile {
        var changed = self
        changed.object = JSONObject()
        for member in object.members where member.key != key { changed.object.append(member.value, forKey: member.key) }
        if let value { changed.object.append(value, forKey: key) }
        return changed
    }
}
