internal import Core
internal import JSON

extension PushNotification {
    /// The message that `render` describes, as JSON text of at most `limit` bytes.
    func message(limit: Int, _ render: (PushNotification) -> JSONValue) throws(PushPayloadError) -> [UInt8] {
        do throws(TooLarge) {
            return try fitting(limit: limit) { render($0).serialized() }
        } catch {
            throw .tooLarge
        }
    }

    /// The data for the app.
    var dataObject: JSONObject {
        var object = JSONObject()
        for (key, value) in data { object.append(.string(value), forKey: key) }
        return object
    }
}
