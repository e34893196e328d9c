package import Core
package import HTTPServer
internal import JSON

/// Reads app_id, user_id and security_key from a request's body, JSON or form. Plain JSON objects and forms are read in place, without
/// allocation.
package struct CredentialReader: Sendable {
    private let reader = BodyReader<3>.credentials

    package init() {}

    /// Lends the three fields to `decide`, as the bytes that arrived: valid UTF-8 of unchecked grammar.
    // Not generic in what it returns: the compiler specialises nothing beyond a module, and an unspecialised call costs half a microsecond.
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

/// Finds the wanted fields of a request's body, JSON or form. Plain JSON objects and forms are read in place, without allocation.
package struct BodyReader<let count: Int>: Sendable {
    private let form: FormDecoder<count>

    /// - Parameter names: the credentials in the order of `CredentialField.allCases`, then other fields; all must differ.
    package init(wanting names: InlineArray<count, StaticString>) {
        form = FormDecoder(wanting: names)
    }

    /// Lends `use` the ranges of the fields and the bytes that hold them. The bytes are valid until `use` returns.
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
        // Escapes are not decoded in place, so the wanted strings are copied.
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

/// The ranges of a body's wanted fields, in bytes that are lent with them.
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
    ///   - bytes: the bytes that were lent with these fields.
    ///   - longest: in UTF-16 code units.
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
        preconditionFailure("\(name) is not among the wanted fields")
    }
}

extension String {
    /// Copies bytes that are known to be UTF-8.
    package init(_ bytes: Span<UInt8>) {
        guard let text = try? UTF8Span(validating: bytes) else { preconditionFailure("who found the bytes has validated them") }
        self.init(copying: text)
    }
}
