internal import Core
internal import HTTPServer
internal import JSON
internal import Time

struct PushTokenRequest {
    static let reader = BodyReader<7>(wanting: ["app_id", "user_id", "security_key", "instance_id", "device_id", "type", "token"])

    /// The maximum length in UTF-16 code units.
    private static let longestDeviceID = 255

    /// The device. The help desk's SDK calls the device id `instance_id`.
    let key: Device.Key
    /// The device type as the app names it; empty when the call has none.
    let type: String
    /// The push token, not empty; nil unsubscribes the device.
    let token: String?
    /// The claims of the security key. For a key that only the app's backend can read, the issue time is the time of the call and not that
    /// of the backend's answer, so that a sign-out in between rejects the call.
    let claims: KeyClaims

    /// Reads the fields of a call whose credentials have been verified.
    /// - Parameters:
    ///   - bytes: the bytes that the fields refer to.
    ///   - key: parsed and verified; nil for a key that only the app's backend can read.
    ///   - now: the time of the call, by the clock that all replicas share.
    init(
        _ fields: borrowing BodyFields<7>, in bytes: Span<UInt8>, verifiedWith key: SecurityKey?, now: UnixSeconds
    ) throws(BodyError) {
        claims = key.map { KeyClaims($0.identity) } ?? KeyClaims(issuedAt: now, nil)
        let instance = try fields.text("instance_id", in: bytes, longest: Self.longestDeviceID)
        let device = try fields.text("device_id", in: bytes, longest: Self.longestDeviceID)
        guard let id = instance ?? device else {
            throw .unexpected(field: "instance_id", expectation: "it is missing; give the device's id in instance_id or device_id")
        }
        if let device, !device.utf8.elementsEqual(id.utf8) {
            throw .unexpected(field: "device_id", expectation: "the same value as instance_id, or no value")
        }
        let (appID, userID, _) = try fields.credentials()
        self.key = Device.Key(appID: String(bytes.extracting(appID)), userID: String(bytes.extracting(userID)), deviceID: id)
        type = try fields.text("type", in: bytes, longest: Device.longestType) ?? ""
        token = try fields.text("token", in: bytes, longest: PushToken.longest)
    }

    /// Checks the token's form. A push provider rejects a malformed token only when the first notification is sent, where the app's
    /// developer does not see it.
    /// - Parameter isForAPNs: whether this type of device is notified by APNs only.
    func checkToken(isForAPNs: Bool) throws(BodyError) {
        guard let token else { return }
        // The descriptions of an NSData, in iOS 12 and in later versions.
        if token.hasPrefix("<") || token.hasPrefix("{length") {
            throw .unexpected(field: "token", expectation: "expected the token itself, not the description of an NSData")
        }
        if isForAPNs, !APNsToken.isValid(token) {
            throw .unexpected(field: "token", expectation: "expected hexadecimal digits, two for each byte of APNs' token")
        }
    }
}

extension PushTokenRequest {
    enum Status: String, CaseIterable {
        case registered, unchanged, removed

        var response: Response { Response(status: 200, json: ["status": .string(rawValue)]) }
    }

    static let description = RouteDescription(
        "Registers a device for notifications, or unsubscribes it.",
        text: "The device is in `instance_id` or `device_id`; where both are, they are equal. Without `token` the device is unsubscribed. "
            + "Devices that APNs notifies have its token in hexadecimal digits, of either case.",
        body: RouteDescription.Body(
            schema { Schema.nullable(Schema.line(1...$0)) },
            // A form has no null; an empty value means null.
            form: schema { Schema.line(0...$0) },
            example: .object(
                JSONObject(
                    CallDescription.exampleCredentials + [
                        ("instance_id", "phone-1"), ("type", "android"), ("token", "the-token-that-the-phone-got"),
                    ]))),
        answers: [
            RouteDescription.Answer(200, text: "The change is durable.", schema: Schema.status(of: Status.self)), CallDescription.malformed,
            CallDescription.denied,
            RouteDescription.Answer(429, text: "A limit of registrations is reached.", schema: limited, headers: ["Retry-After"]),
            CallDescription.undecided,
        ])

    /// - Parameter optional: returns the schema of an optional field with this maximum length.
    private static func schema(_ optional: (Int) -> JSONValue) -> JSONValue {
        let fields = [
            ("instance_id", longestDeviceID), ("device_id", longestDeviceID), ("type", Device.longestType), ("token", PushToken.longest),
        ]
        return Schema.object(
            CallDescription.credentials + fields.map { ($0, optional($1)) }, required: CallDescription.credentials.map(\.0))
    }

    private static let limited = Schema.object([
        ("error", Schema.choice(["too_many_requests"])), ("message", Schema.text), ("retry_after", Schema.integer(0...Int64.max)),
        (
            "limit",
            Schema.object([
                ("per", Schema.choice(of: LimitRule.Scope.self)), ("max", Schema.integer),
                ("window_seconds", Schema.integer),
            ])
        ),
    ])
}
