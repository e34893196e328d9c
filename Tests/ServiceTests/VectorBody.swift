import JSON
import TestSupport

enum VectorBody: CaseIterable {
    case json, form

    var contentType: String {
        switch self {
        case .json: "application/json"
        case .form: "application/x-www-form-urlencoded"
        }
    }

    /// - Parameter others: fields in addition to the vector's.
    func bytes(_ vector: Vector, _ others: [(name: String, value: String)]) -> [UInt8] {
        let fields = vector.fields + others
        return switch self {
        case .json: Self.json(fields)
        case .form: Array(fields.map { "\($0.name)=\(Self.escaped($0.value))" }.joined(separator: "&").utf8)
        }
    }

    private static func json(_ fields: [(name: String, value: String)]) -> [UInt8] {
        var object = JSONObject()
        for field in fields { object.append(.string(field.value), forKey: field.name) }
        return JSONValue.object(object).serialized()
    }

    /// Escapes all characters except those that RFC 3986 section 2.3 calls unreserved.
    private static func escaped(_ text: String) -> String {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".utf8)
        let digits = Array("0123456789ABCDEF".utf8)
        let bytes = text.utf8.flatMap { byte in
            unreserved.contains(byte) ? [byte] : [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 0xF)]]
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

extension Vector {
    /// The values of its request, by the names of the fields.
    fileprivate var fields: [(name: String, value: String)] {
        [("app_id", appID), ("user_id", userID), ("security_key", securityKey)]
    }
}
