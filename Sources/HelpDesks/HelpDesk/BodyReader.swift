package import Core
package import HTTPServer
internal import JSON

/// Reads app_id, user_id and security_key from the JSON or form body of a request. Plain JSON objects and forms are read in place, without
/// allocation.
package struct CredentialReader: Sendable {
    private let reader = BodyReader<3>.credentials

    package init() {}

    /// Passes the three fields to `decide` as received: valid UTF-8 whose grammar was not checked.
    // The result type is not generic: generic code is not specialized in other modules, and an unspecialized call takes 0.5 µs.
    package func decision(
        on request: borrowing Request,
        _ decide: (_ appID: Span<UInt8>, _ userID: Span<UInt8>, _ securityKey: Span<UInt8>) -> Authorizer.Authorization
    ) throws(BodyError) -> Authorizer.Authorization {
        try reader.withFields(of: request) { fields, bytes throws(BodyError) in
            let (appID, userID, securityKey) = try fields.credentials()
            return decide(bytes.extracting(appID), bytes.extracting(userID), bytes.extracting(securityKey))
        }
    }
}

/// Finds the requested fields in the JSON or form body of a request. Plain JSON objects and forms are read in place, without allocation.
package struct BodyReader<let count: Int>: Sendable {
    private let form: FormDecoder<count>

    /// - Parameter names: the credentials in the order of `CredentialField.allCases`, then other fields; all must differ.
    package init(wanting names: InlineArray<count, StaticString>) {
        form = FormDecoder(wanting: names)
    }

    /// Passes the ranges of the fields, and the bytes that contain them, to `use`. The bytes are valid until `use` returns.
    package func withFields<Result>(
        of request: borrowing Request, _ use: (borrowing BodyFields<count>, Span<UInt8>) throws(BodyError) -> Result
    ) throws(BodyError) -> Result {
        switch BodyFormat(of: request) {
        case .json: try request.withBody { body throws(BodyError) in try readJSON(body, use) }
        case .form: try request.withMutableBody { body throws(BodyError) in try readForm(&body, use) }
        }
    }

    private func readJSON<Result>(
        _ body: Span<UInt8>, _ use: (borrowing BodyFields<count>, Span<UInt8>) throws(BodyError) -> Result
    ) throws(BodyError) -> Result {
        var fields = BodyFields(names: form.names, isForm: false)
        if let plain = PlainObject(body) {
            for index in form.names.indices {
                if let range = plain.value(of: form.names[index], in: body) { fields.values[index] = .text(range) }
            }
            return try use(fields, body)
        }
        let root: JSONElement
        do throws(JSONError) {
            root = try JSONElement(parsing: body)
        } catch {
            throw .invalidJSON(error)
        }
        guard root.isObject else { throw .notAnObject }
        // Strings with escapes are not decoded in place, so the requested strings are copied.
        var texts: [UInt8] = []
        for index in form.names.indices {
            guard let element = root[form.names[index]] else { continue }
            if let text = element.string {
                let start = texts.count
                texts.append(contentsOf: text.utf8)
                fields.values[index] = .text(start..<texts.count)
            } else {
                fields.values[index] = element.isNull ? .null : .notAString
            }
        }
        return try use(fields, texts.span)
    }

    private func readForm<Result>(
        _ body: inout MutableSpan<UInt8>, _ use: (borrowing BodyFields<count>, Span<UInt8>) throws(BodyError) -> Result
    ) throws(BodyError) -> Result {
        var fields = BodyFields(names: form.names, isForm: true)
        do throws(FormError) {
            let ranges = try form.decode(&body)
            for index in ranges.indices {
                if let range = ranges[index] { fields.values[index] = .text(range) }
            }
        } catch {
            throw BodyError(error)
        }
        return try use(fields, body.span)
    }
}

extension BodyReader<3> {
    static var credentials: BodyReader<3> { BodyReader(wanting: ["app_id", "user_id", "security_key"]) }
}

/// The ranges of the requested fields of a body, in the bytes that are passed together with them.
package struct BodyFields<let count: Int> {
    enum Value {
        case missing, null, notAString
        /// The range of the value's bytes, which are valid UTF-8.
        case text(Range<Int>)
    }

    private let names: InlineArray<count, StaticString>
    private let isForm: Bool
    fileprivate(set) var values = InlineArray<count, Value>(repeating: .missing)

    fileprivate init(names: InlineArray<count, StaticString>, isForm: Bool) {
        self.names = names
        self.isForm = isForm
    }

    /// Returns the ranges of the credentials. Their grammar is checked when the security key is verified.
    package func credentials() throws(BodyError) -> (appID: Range<Int>, userID: Range<Int>, securityKey: Range<Int>) {
        (try credential(.appID, at: 0), try credential(.userID, at: 1), try credential(.securityKey, at: 2))
    }

    private func credential(_ field: CredentialField, at index: Int) throws(BodyError) -> Range<Int> {
        switch values[index] {
        case .text(let range): return range
        case .missing: throw .malformed(ValidationError(field, .missing))
        case .null: throw .malformed(ValidationError(field, .null))
        case .notAString: throw .malformed(ValidationError(field, .notAString))
        }
    }

    /// Copies a field other than a credential; nil when it is missing or null. A form has no null, so an empty value means null.
    /// - Parameters:
    ///   - bytes: the bytes that were passed together with these fields.
    ///   - longest: the maximum length in UTF-16 code units.
    package func text(_ name: String, in bytes: Span<UInt8>, longest: Int) throws(BodyError) -> String? {
        for index in names.indices where "\(names[index])" == name {
            switch values[index] {
            case .missing, .null: return nil
            case .text(let range) where isForm && range.isEmpty: return nil
            case .text(let range) where FieldGrammar.problem(of: bytes.extracting(range), longest: longest) == nil:
                return String(bytes.extracting(range))
            case .text, .notAString:
                throw .unexpected(
                    field: name, expectation: "expected a string of 1 to \(longest) UTF-16 code units without control characters, or null")
            }
        }
        preconditionFailure("\(name) is not a requested field")
    }
}

extension String {
    /// Copies bytes that must be valid UTF-8.
    package init(_ bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { preconditionFailure("the bytes must be valid UTF-8") }
        self.init(copying: text)
    }
}
