internal import Core
internal import HTTPServer
internal import JSON

/// The fields of a device's call, whichever way they were written. In a form an empty value stands for null, which it cannot express; what
/// proves who calls may be neither.
struct PushTokenFields {
    private static let names: InlineArray<7, StaticString> = [
        "app_id", "user_id", "security_key", "instance_id", "device_id", "type", "token",
    ]

    private enum Value {
        case missing, null, notAString
        case text(String)
    }

    private var values: [(name: String, value: Value)] = []
    private let isForm: Bool

    /// Reads strict JSON.
    init(json body: Span<UInt8>) throws(PushTokenMistake) {
        isForm = false
        if let plain = PlainObject(body) {
            for index in Self.names.indices {
                let range = plain.value(of: Self.names[index], in: body)
                values.append(("\(Self.names[index])", range.map { Self.value(body.extracting($0)) } ?? .missing))
            }
            return
        }
        let root: JSONElement
        do throws(JSONError) {
            root = try JSONElement(parsing: body)
        } catch {
            throw .unreadable(.invalidJSON(error))
        }
        guard root.isObject else { throw .unreadable(.notAnObject) }
        for index in Self.names.indices {
            values.append(("\(Self.names[index])", Self.value(root[Self.names[index]])))
        }
    }

    /// Reads a form in place.
    init(form body: inout MutableSpan<UInt8>) throws(PushTokenMistake) {
        isForm = true
        do throws(FormError) {
            let fields = try FormDecoder<7>(wanting: Self.names).decode(&body)
            for index in Self.names.indices {
                let range = try? fields.range(at: index)
                values.append(("\(Self.names[index])", range.map { Self.value(body.span.extracting($0)) } ?? .missing))
            }
        } catch {
            throw Self.mistake(error)
        }
    }

    /// A field that proves who calls; its grammar is looked at when it is verified.
    func credential(_ field: CredentialField) throws(PushTokenMistake) -> String {
        switch value(field.name) {
        case .text(let text): return text
        case .missing: throw .unreadable(.malformed(Malformation(field, .missing)))
        case .null: throw .unreadable(.malformed(Malformation(field, .null)))
        case .notAString: throw .unreadable(.malformed(Malformation(field, .notAString)))
        }
    }

    /// Another field; nil when it is missing or null.
    /// - Parameter longest: in UTF-16 code units.
    func text(_ name: String, longest: Int) throws(PushTokenMistake) -> String? {
        switch value(name) {
        case .missing, .null: return nil
        case .text(let text) where isForm && text.isEmpty: return nil
        case .text(let text) where FieldGrammar.problem(of: text.utf8.span, longest: longest) == nil: return text
        case .text, .notAString:
            throw .unexpected(
                field: name, expectation: "expected a string of 1 to \(longest) UTF-16 code units without control characters, or null")
        }
    }

    private func value(_ name: String) -> Value {
        values.first { $0.name == name }?.value ?? .missing
    }

    private static func value(_ element: JSONElement?) -> Value {
        guard let element else { return .missing }
        return element.isNull ? .null : element.string.map { .text($0) } ?? .notAString
    }

    private static func value(_ bytes: Span<UInt8>) -> Value {
        // Whoever found them has proven that they are UTF-8.
        guard let text = try? UTF8Span(validating: bytes) else { return .notAString }
        return .text(String(copying: text))
    }

    private static func mistake(_ error: FormError) -> PushTokenMistake {
        guard case .duplicate(let name) = error else { return .unreadable(.invalidForm(error)) }
        guard CredentialField(rawValue: "\(name)") == nil else { return .unreadable(UnreadableBody(error)) }
        return .unexpected(field: "\(name)", expectation: "it is given twice; give it once")
    }
}
