// Deskgate for a backend in Swift: mints and verifies security keys, and verifies signed events.
//
// Copy this file; it needs Swift 6 with its Foundation and no package, so it has SHA-256 and HMAC itself. With swift-crypto or CryptoKit at
// hand, replace `hmacSHA256`. `DeskgateError.reason` is a word of the table in clients/README.md.
//
//     let secret = try String(contentsOfFile: "secrets/app-1.key", encoding: .utf8)
//     let securityKey = try mintSecurityKey(appID: "my-app", userID: "user-1", keyID: 1, secret: secret)  // for the signed-in user
//     try verifySecurityKey(appID: "my-app", userID: "user-1", securityKey: securityKey, secrets: [1: secret])  // in a test of yours
//     let signingSecret = try String(contentsOfFile: "secrets/backend.key", encoding: .utf8)
//     try verifyEvent(headers: { request.headers[$0] }, body: body, secrets: [signingSecret])  // throws DeskgateError: answer 401

import Foundation

/// The reason why a key or an event is rejected, or the problem of an argument. It never contains a given value.
struct DeskgateError: Error, CustomStringConvertible {
    let reason: String
    let message: String

    var description: String { "\(reason): \(message)" }

    fileprivate init(_ reason: String, _ message: String) {
        (self.reason, self.message) = (reason, message)
    }
}

/// How far the clocks of backend and service may differ, in seconds, as the service has it by default.
private let clockSkew: Int64 = 60

/// Mints a security key of 89 characters.
///
/// - Parameters:
///   - keyID: the secret's number in the service's configuration
///   - secret: the output of `deskgate secret new`
///   - lifetime: in seconds; 0 for no expiry
///   - now: in Unix seconds; only for tests
///   - salt: 16 bytes, only for tests: each key needs a random salt of its own
func mintSecurityKey(
    appID: String, userID: String, keyID: UInt32, secret: String, lifetime: Int64 = 7 * 86_400, now: Int64? = nil, salt: [UInt8]? = nil
) throws(DeskgateError) -> String {
    try checkText("appID", appID, longest: 255)
    try checkText("userID", userID, longest: 100)
    let issuedAt = now ?? unixTime()
    let salt = salt ?? (0..<16).map { _ in UInt8.random(in: .min ... .max) }
    guard lifetime >= 0, issuedAt >= 0, issuedAt < 1 << 40, lifetime < 1 << 40 - issuedAt else {
        throw DeskgateError("bad_argument", "lifetime is at least 0 seconds, and the key ends before 2^40")
    }
    guard salt.count == 16 else { throw DeskgateError("bad_argument", "salt is 16 bytes") }
    let expiresAt = lifetime == 0 ? 0 : issuedAt + lifetime
    let head = [0] + bigEndian(Int64(keyID), count: 4) + bigEndian(issuedAt, count: 5) + bigEndian(expiresAt, count: 5) + salt
    let key = head + mac(try keySecret(secret), head: head, appID: appID, userID: userID)
    return "dgk1." + Data(key).base64EncodedString().replacing("+", with: "-").replacing("/", with: "_")
}

/// Throws unless the key is valid and in force; `secrets` contains the app's secrets by key id.
///
/// Only the service has the revocations, the blocks and the limits of lifetimes.
func verifySecurityKey(
    appID: String, userID: String, securityKey: String, secrets: [UInt32: String], now: Int64? = nil
) throws(DeskgateError) {
    try checkText("appID", appID, longest: 255)
    try checkText("userID", userID, longest: 100)
    try checkText("securityKey", securityKey, longest: 100)
    let text = Array(securityKey.utf8)
    guard text.count == 89, text.starts(with: "dgk1.".utf8), let key = decodeBase64URL(text[5...]), key[0] == 0 else {
        throw DeskgateError("not_a_security_key", "expected dgk1. and 84 base64url characters")
    }
    func number(_ places: Range<Int>) -> Int64 { key[places].reduce(0) { $0 << 8 | Int64($1) } }
    guard let secret = secrets[UInt32(number(1..<5))] else {
        throw DeskgateError("unknown_key", "there is no secret of this key id")
    }
    guard isEqual(mac(try keySecret(secret), head: Array(key[..<31]), appID: appID, userID: userID), Array(key[31...])) else {
        throw DeskgateError("wrong_mac", "made with another secret, or for another app or user")
    }
    let (issuedAt, expiresAt, now) = (number(5..<10), number(10..<15), now ?? unixTime())
    guard issuedAt <= now + clockSkew else {
        throw DeskgateError("issued_in_future", "issued later than now; one of the clocks is wrong")
    }
    guard expiresAt == 0 || now <= expiresAt + clockSkew else { throw DeskgateError("expired", "its life is over") }
}

/// Throws unless the service has signed this request (Standard Webhooks) at most `tolerance` seconds from now.
///
/// A retry has the same `webhook-id`, so store the ids that you have processed.
///
/// - Parameters:
///   - headers: finds a header in any case
///   - body: raw, as it was received
///   - secrets: `whsec_…`; several during a rotation
///   - now: in Unix seconds; only for tests
func verifyEvent(
    headers: (String) -> String?, body: [UInt8], secrets: [String], now: Int64? = nil, tolerance: Int64 = 300
) throws(DeskgateError) {
    let names = ["webhook-id", "webhook-timestamp", "webhook-signature"]
    let given = names.compactMap(headers).filter { !$0.isEmpty }
    guard given.count == 3 else {
        throw DeskgateError("missing_header", "expected webhook-id, webhook-timestamp and webhook-signature")
    }
    let (id, timestamp, signatures) = (given[0], given[1], given[2])
    guard !secrets.isEmpty else { throw DeskgateError("bad_secret", "expected at least one secret") }
    let message = Array("\(id).\(timestamp).".utf8) + body
    var isGenuine = false
    for secret in secrets {
        let expected = "v1," + Data(hmacSHA256(key: try signingSecret(secret), message)).base64EncodedString()
        for signature in signatures.utf8.split(separator: UInt8(ascii: " ")) where isEqual(Array(expected.utf8), Array(signature)) {
            isGenuine = true
        }
    }
    let isNumber = timestamp.utf8.count <= 15 && timestamp.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    guard isGenuine, isNumber, !id.utf8.contains(UInt8(ascii: ".")), let sent = Int64(timestamp) else {
        throw DeskgateError("not_genuine", "made with another secret, or of another body")
    }
    guard abs((now ?? unixTime()) - sent) <= tolerance else {
        throw DeskgateError("expired", "signed too long before or after now")
    }
}

private func unixTime() -> Int64 { Int64(Date().timeIntervalSince1970) }

private func bigEndian(_ number: Int64, count: Int) -> [UInt8] {
    (1...count).map { UInt8(truncatingIfNeeded: number >> (8 * (count - $0))) }
}

private func mac(_ secret: [UInt8], head: [UInt8], appID: String, userID: String) -> [UInt8] {
    var message = Array("deskgate/sk/v1".utf8) + head
    for identifier in [appID, userID] {
        message += bigEndian(Int64(identifier.utf8.count), count: 4) + Array(identifier.utf8)
    }
    return hmacSHA256(key: secret, message)
}

/// Whether two byte strings are equal, in a time that does not depend on the position of a difference.
private func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
    left.count == right.count && zip(left, right).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}

/// Throws unless the value has 1 to `longest` UTF-16 units and no control characters.
private func checkText(_ name: String, _ value: String, longest: Int) throws(DeskgateError) {
    guard !value.isEmpty else { throw DeskgateError("empty", "\(name) is empty") }
    guard value.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
        throw DeskgateError("control_character", "\(name) has a control character")
    }
    guard value.utf16.count <= longest else { throw DeskgateError("too_long", "\(name) has more than \(longest) UTF-16 units") }
}

/// The bytes of unpadded base64url; nil if it has another character. Works on bytes, because "A\u{301}" is one Character.
private func decodeBase64URL(_ text: some Collection<UInt8>) -> [UInt8]? {
    guard !text.contains(where: { "+/=".utf8.contains($0) }) else { return nil }
    let standard = text.map { $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0 }
    let padding = [UInt8](repeating: UInt8(ascii: "="), count: (4 - text.count % 4) % 4)
    return Data(base64Encoded: Data(standard + padding)).map { Array($0) }
}

private func keySecret(_ secret: String) throws(DeskgateError) -> [UInt8] {
    guard let key = decodeBase64URL(Array(secret.trimmingCharacters(in: .whitespacesAndNewlines).utf8)), key.count == 32 else {
        throw DeskgateError("bad_secret", "a secret is 43 base64url characters, as deskgate secret new prints it")
    }
    return key
}

private func signingSecret(_ secret: String) throws(DeskgateError) -> [UInt8] {
    let text = secret.trimmingCharacters(in: .whitespacesAndNewlines)
    guard let key = Data(base64Encoded: String(text.dropFirst(6))), 24...64 ~= key.count, text == "whsec_" + key.base64EncodedString()
    else {
        throw DeskgateError("bad_secret", "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it")
    }
    return Array(key)
}

/// HMAC with SHA-256, RFC 2104.
func hmacSHA256(key: [UInt8], _ message: [UInt8]) -> [UInt8] {
    let short = key.count > 64 ? sha256(key) : key
    let block = short + [UInt8](repeating: 0, count: 64 - short.count)
    return sha256(block.map { $0 ^ 0x5C } + sha256(block.map { $0 ^ 0x36 } + message))
}

/// SHA-256, FIPS 180-4.
private func sha256(_ message: [UInt8]) -> [UInt8] {
    var padded = message + [0x80]
    padded += [UInt8](repeating: 0, count: (120 - padded.count % 64) % 64) + bigEndian(Int64(message.count) * 8, count: 8)
    var state = initialState
    func rotated(_ word: UInt32, _ count: UInt32) -> UInt32 { word >> count | word << (32 - count) }
    for start in stride(from: 0, to: padded.count, by: 64) {
        var words = stride(from: start, to: start + 64, by: 4).map { padded[$0..<$0 + 4].reduce(0) { $0 << 8 | UInt32($1) } }
        for i in 16..<64 {
            let (a, b) = (words[i - 15], words[i - 2])
            let s0 = rotated(a, 7) ^ rotated(a, 18) ^ a >> 3
            let s1 = rotated(b, 17) ^ rotated(b, 19) ^ b >> 10
            words.append(words[i - 16] &+ s0 &+ words[i - 7] &+ s1)
        }
        var (a, b, c, d) = (state[0], state[1], state[2], state[3])
        var (e, f, g, h) = (state[4], state[5], state[6], state[7])
        for i in 0..<64 {
            let s1 = rotated(e, 6) ^ rotated(e, 11) ^ rotated(e, 25)
            let choice = (e & f) ^ (~e & g)
            let t1 = h &+ s1 &+ choice &+ roundConstants[i] &+ words[i]
            let s0 = rotated(a, 2) ^ rotated(a, 13) ^ rotated(a, 22)
            let majority = (a & b) ^ (a & c) ^ (b & c)
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ t1, c, b, a, t1 &+ s0 &+ majority)
        }
        state = zip(state, [a, b, c, d, e, f, g, h]).map { $0 &+ $1 }
    }
    return state.flatMap { bigEndian(Int64($0), count: 4) }
}

private let initialState: [UInt32] = [
    0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19,
]

private let roundConstants: [UInt32] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
]
