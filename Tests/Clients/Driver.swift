import Foundation

/// Passes the requests of Scripts/test-clients to clients/Deskgate.swift: a request per line with its fields in hexadecimal, and a response
/// per line.
@main
struct Driver {
    struct Headers {
        private let values: [String: String]

        init(_ fields: some Sequence<Substring>) {
            values = Dictionary(uniqueKeysWithValues: pairs(fields).map { ($0.lowercased(), $1) })
        }

        subscript(name: String) -> String? { values[name] }
    }

    struct Request {
        let headers: Headers
    }

    private static func example(_ request: Request, _ body: [UInt8]) throws -> String {
        let secret = try String(contentsOfFile: "secrets/app-1.key", encoding: .utf8)
        let securityKey = try mintSecurityKey(appID: "my-app", userID: "user-1", keyID: 1, secret: secret)  // for the signed-in user
        try verifySecurityKey(appID: "my-app", userID: "user-1", securityKey: securityKey, secrets: [1: secret])  // in a test of yours
        let signingSecret = try String(contentsOfFile: "secrets/backend.key", encoding: .utf8)
        try verifyEvent(headers: { request.headers[$0] }, body: body, secrets: [signingSecret])  // throws DeskgateError: answer 401
        return securityKey
    }

    private static func ofSendbird(_ request: Request, _ body: [UInt8]) throws -> String {
        let secret = try String(contentsOfFile: "secrets/sendbird-1.key", encoding: .utf8)
        let signingSecret = try String(contentsOfFile: "secrets/backend.key", encoding: .utf8)
        // for POST /sendbird/session-token
        let securityKey = try mintSecurityKey(appID: "sendbird-app", userID: "user-1", keyID: 1, secret: secret)
        try verifyEvent(headers: { request.headers[$0] }, body: body, secrets: [signingSecret])  // throws DeskgateError: answer 401
        let event = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let score = event?["type"] as? String == "ticket.rated" ? (event?["data"] as? [String: Any])?["score"] as? Int : nil
        return "\(securityKey) \(score ?? 0)"
    }

    private static func mint(_ fields: ArraySlice<Substring>) throws -> String {
        let fields = Array(fields)
        guard let keyID = UInt32(fields[2]), let lifetime = Int64(fields[4]) else { return "impossible" }
        return try mintSecurityKey(
            appID: text(fields[0]), userID: text(fields[1]), keyID: keyID, secret: text(fields[3]), lifetime: lifetime,
            now: Int64(fields[5]), salt: fields[6] == "-" ? nil : bytes(fields[6]))
    }

    private static func verify(_ fields: ArraySlice<Substring>) throws -> String {
        let secrets = pairs(fields.dropFirst(4)).compactMap { id, secret in UInt32(id).map { ($0, secret) } }
        let fields = Array(fields)
        try verifySecurityKey(
            appID: text(fields[0]), userID: text(fields[1]), securityKey: text(fields[2]),
            secrets: Dictionary(uniqueKeysWithValues: secrets), now: Int64(fields[3]))
        return "valid"
    }

    private static func read(_ body: [UInt8]) throws -> String {
        let event = try JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
        let ticket = (event?["data"] as? [String: Any])?["ticket_id"] as? Int
        return "\(event?["type"] as? String ?? "unread") \(ticket ?? 0)"
    }

    private static func checkEvent(_ fields: ArraySlice<Substring>) throws {
        let headers = Headers(fields.dropFirst(3))
        let fields = Array(fields)
        let secrets = fields[2].split(separator: ",").map(text)
        try verifyEvent(headers: { headers[$0] }, body: bytes(fields[1]), secrets: secrets, now: Int64(fields[0]))
    }

    private static func answer(_ fields: [Substring]) throws -> String {
        let rest = fields.dropFirst()
        switch fields[0] {
        case "mint": return try mint(rest)
        case "verify": return try verify(rest)
        case "event":
            try checkEvent(rest)
            return "genuine"
        case "read":
            try checkEvent(rest)
            return try read(bytes(fields[2]))
        case "not-unicode", "half-second", "number": return "impossible"
        case "hmac": return hmacSHA256(key: bytes(fields[1]), bytes(fields[2])).map { String(format: "%02x", $0) }.joined()
        case "sendbird": return try ofSendbird(Request(headers: Headers(rest.dropFirst())), bytes(fields[1]))
        default: return try example(Request(headers: Headers(rest.dropFirst())), bytes(fields[1]))
        }
    }

    static func main() throws {
        while let line = readLine() {
            do {
                print(try answer(line.split(separator: "\t", omittingEmptySubsequences: false)))
            } catch let error as DeskgateError {
                print(error.reason)
            }
        }
    }
}

private func bytes(_ field: Substring) -> [UInt8] {
    stride(from: 0, to: field.utf8.count, by: 2).compactMap { UInt8(field.dropFirst($0).prefix(2), radix: 16) }
}

private func text(_ field: Substring) -> String { String(decoding: bytes(field), as: UTF8.self) }

private func pairs(_ fields: some Sequence<Substring>) -> [(String, String)] {
    fields.map { field in
        let parts = field.split(separator: ":", omittingEmptySubsequences: false)
        return (text(parts[0]), text(parts[1]))
    }
}
