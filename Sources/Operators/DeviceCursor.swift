internal import Core
internal import Crypto

/// Where a list of push tokens goes on, as a text that nobody need understand: person and device, which hold no NUL, with one between them.
enum DeviceCursor {
    /// The text for the last device of a list.
    static func text(_ key: Device.Key) -> String {
        Base64URL.encode((Array(key.userID.utf8) + [0] + Array(key.deviceID.utf8)).span)
    }

    /// The device of a text.
    static func key(_ text: String, appID: String) throws(AdminMistake) -> Device.Key {
        let parts = Base64URL.decode(text)?.split(separator: 0, maxSplits: 1, omittingEmptySubsequences: false) ?? []
        guard parts.count == 2, let user = String(validating: parts[0], as: UTF8.self),
            let device = String(validating: parts[1], as: UTF8.self)
        else { throw AdminMistake("after", "expected the next of an earlier list.") }
        return Device.Key(appID: appID, userID: user, deviceID: device)
    }
}
