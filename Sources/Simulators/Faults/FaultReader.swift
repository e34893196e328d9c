internal import JSON
internal import Time

/// Parses a script of faults and devices: a JSON object with `faults` and `devices`, or a single fault.
package struct FaultReader {
    package struct Problem: Error, CustomStringConvertible {
        package let description: String
    }

    private static let keys = [
        "provider", "endpoint", "match", "after", "times", "delay_ms", "answer", "stall", "reset", "close", "garbage", "goaway",
        "max_streams", "handshake", "reason", "code",
    ]
    private static let effects = ["answer", "stall", "reset", "close", "garbage", "goaway", "max_streams", "handshake"]

    private let place: String
    private let object: JSONObject

    private init(_ value: JSONValue, _ place: String) throws(Problem) {
        guard case .object(let object) = value else { throw Problem(description: "\(place): expected an object") }
        self.object = object
        self.place = place
    }

    /// Parses a script: a JSON object with `faults` and `devices`. Throws the first mistake.
    package static func read(script bytes: [UInt8], into script: FaultScript, _ devices: DeviceRegistry) throws(Problem) {
        let value = try parse(bytes)
        let reader = try FaultReader(value, "script")
        try reader.allow(["faults", "devices"])
        for (index, fault) in try reader.array("faults").enumerated() { try read(fault: fault, at: "faults[\(index)]", into: script) }
        for (index, device) in try reader.array("devices").enumerated() { try read(device: device, at: "devices[\(index)]", into: devices) }
    }

    /// Parses one fault: a JSON object. Throws the first error.
    package static func read(fault bytes: [UInt8], into script: FaultScript) throws(Problem) {
        try read(fault: try parse(bytes), at: "fault", into: script)
    }

    private static func parse(_ bytes: [UInt8]) throws(Problem) -> JSONValue {
        do throws(JSONError) {
            return try JSONDocument(parsing: bytes.span).value()
        } catch {
            throw Problem(description: "not JSON: \(error)")
        }
    }

    private static func read(fault value: JSONValue, at place: String, into script: FaultScript) throws(Problem) {
        let reader = try FaultReader(value, place)
        try reader.allow(keys)
        let given = effects.filter { reader.object[$0] != nil }
        guard given.count == 1 || given.isEmpty && reader.object["delay_ms"] != nil else {
            let words = (given.isEmpty ? effects + ["delay_ms"] : given).joined(separator: ", ")
            throw reader.problem(given.isEmpty ? "say one of \(words)" : "say only one of \(words)")
        }
        let provider: SimulatedProvider? = try reader.word("provider")
        let after = try reader.number("after") ?? 0
        let times = try reader.times()
        if given == ["handshake"] {
            return script.add(HandshakeFault(try reader.handshake(), at: provider, after: after, times: times))
        }
        let match = try reader.object["match"].map { value throws(Problem) in try FaultReader(value, "\(place).match") }
        try match?.allow(["token"])
        script.add(
            Fault(
                try reader.effect(given.first), at: provider, endpoint: try reader.word("endpoint") ?? .send,
                token: try match?.text("token"),
                after: after, times: times, delayMilliseconds: try reader.number("delay_ms") ?? 0))
    }

    private static func read(device value: JSONValue, at place: String, into devices: DeviceRegistry) throws(Problem) {
        let reader = try FaultReader(value, place)
        try reader.allow(["token", "provider", "topic", "refusal", "unregistered_at"])
        guard let token = try reader.text("token") else { throw reader.problem("token is missing") }
        let since = try reader.number("unregistered_at")
        let refusal: SimulatedDevice.Refusal? = try reader.word("refusal") ?? (since == nil ? nil : .unregistered)
        devices[token] = SimulatedDevice(
            provider: try reader.word("provider"), topic: try reader.text("topic"), refusal: refusal,
            unregisteredAt: since.map { UnixMilliseconds(rawValue: UInt64($0)) })
    }

    private func effect(_ name: String?) throws(Problem) -> Fault.Effect {
        switch name {
        case "answer": return .answer(try answer())
        case "stall": return try oneOf("stall", ["stream", "connection"]) == "stream" ? .stallStream : .stallConnection
        case "reset":
            guard try oneOf("reset", ["stream", "connection"]) == "stream" else { return .resetConnection }
            // RFC 9113 section 7: INTERNAL_ERROR.
            return .resetStream(errorCode: try number("code") ?? 2)
        case "close": return try flag("close", .closeConnection)
        case "garbage": return try flag("garbage", .garbage)
        case "goaway": return .goAway(try word("goaway") ?? .all, reason: try text("reason") ?? "")
        case "max_streams": return .limitStreams(try number("max_streams") ?? 0)
        default: return .delay
        }
    }

    private func answer() throws(Problem) -> Fault.Answer {
        let answer = try FaultReader(object["answer"] ?? .null, "\(place).answer")
        try answer.allow(["status", "reason", "retry_after", "timestamp"])
        guard let status = try answer.number("status"), (200...599).contains(status) else {
            throw answer.problem("status must be a number from 200 to 599")
        }
        // A number of seconds, or an HTTP date.
        let retryAfter = answer.object["retry_after"]?.integer.map { String($0) } ?? answer.object["retry_after"]?.text
        return Fault.Answer(
            status, try answer.text("reason") ?? "", retryAfter: retryAfter,
            timestamp: try answer.number("timestamp").map { UnixMilliseconds(rawValue: UInt64($0)) })
    }

    private func handshake() throws(Problem) -> HandshakeFault.Effect {
        switch try oneOf("handshake", ["slow", "stall", "close", "reset", "garbage"]) {
        case "slow": .slow(milliseconds: try number("delay_ms") ?? 1000)
        case "stall": .stall
        case "close": .close
        case "reset": .reset
        default: .garbage
        }
    }

    private func times() throws(Problem) -> Int? {
        if object["times"] == .null { return nil }
        let times = try number("times") ?? 1
        guard times > 0 else { throw problem("times must be 1 or more, or null for no limit") }
        return times
    }
}

extension FaultReader {
    private func problem(_ text: String) -> Problem {
        Problem(description: "\(place): \(text)")
    }

    private func allow(_ keys: [String]) throws(Problem) {
        guard let unknown = object.members.first(where: { !keys.contains($0.key) }) else { return }
        throw problem("unknown key \(unknown.key); known are \(keys.joined(separator: ", "))")
    }

    private func array(_ key: String) throws(Problem) -> [JSONValue] {
        guard let value = object[key] else { return [] }
        guard case .array(let values) = value else { throw problem("\(key) must be an array") }
        return values
    }

    private func text(_ key: String) throws(Problem) -> String? {
        guard let value = object[key] else { return nil }
        guard let text = value.text else { throw problem("\(key) must be a string") }
        return text
    }

    private func number(_ key: String) throws(Problem) -> Int? {
        guard let value = object[key] else { return nil }
        guard let number = value.integer, number >= 0 else { throw problem("\(key) must be a whole number that is not negative") }
        return Int(number)
    }

    private func flag(_ key: String, _ effect: Fault.Effect) throws(Problem) -> Fault.Effect {
        guard object[key] == .bool(true) else { throw problem("\(key) must be true") }
        return effect
    }

    private func oneOf(_ key: String, _ words: [String]) throws(Problem) -> String? {
        guard let text = try text(key) else { return nil }
        guard words.contains(text) else { throw problem("\(key) must be one of \(words.joined(separator: ", "))") }
        return text
    }

    private func word<Word: RawRepresentable & CaseIterable>(_ key: String) throws(Problem) -> Word? where Word.RawValue == String {
        try oneOf(key, Word.allCases.map(\.rawValue)).flatMap { Word(rawValue: $0) }
    }
}
