internal import HTTPServer
package import JSON

/// Checks the credentials as received: valid UTF-8 whose grammar was not checked.
/// - Returns: whether to read the rest of the body. If the caller is not authenticated, only the credentials are read.
typealias CredentialCheck = (_ appID: Span<UInt8>, _ userID: Span<UInt8>, _ securityKey: Span<UInt8>) -> Bool

typealias PreparedRequest = @Sendable (AuthenticatedCaller) -> AuthenticatedResponse

/// Reads a body. Returns nil when the credentials are rejected, and throws when they cannot be read.
///
/// The type of the payload is erased, because generic code is not specialized in other modules, and type lookups would cost a request as
/// much as the verification of its key.
typealias BoundReader = @Sendable (borrowing Request, CredentialCheck) throws(BodyError) -> Result<PreparedRequest, BodyError>?

/// Reads the body of a call with a security key: the credentials, then the payload.
package struct AuthenticatedReader<Payload: Sendable>: Sendable {
    /// Answers an authenticated caller. May be called on any thread, and must not block.
    package typealias Perform = @Sendable (AuthenticatedCaller, Payload) -> AuthenticatedResponse

    let reader: @Sendable (@escaping Perform) -> BoundReader

    /// Reads a strict JSON object. `payload` reads the members other than the credentials.
    package static func object(_ payload: @escaping @Sendable (JSONObject) throws(BodyError) -> Payload) -> AuthenticatedReader {
        let credentials = BodyReader<3>.credentials
        return AuthenticatedReader { perform in
            { request, evaluate throws(BodyError) in
                try credentials.withFields(of: request) { fields, bytes throws(BodyError) in
                    guard try fields.evaluate(bytes, evaluate) else { return nil }
                    return request.withBody { body in bind(perform) { () throws(BodyError) in try payload(parse(body)) } }
                }
            }
        }
    }

    /// Reads a JSON object or a form with one additional text field, which is passed to `payload`; nil when the field is missing.
    /// - Parameter longest: the maximum length in UTF-16 code units.
    package static func text(
        _ name: StaticString, longest: Int, _ payload: @escaping @Sendable (String?) throws(BodyError) -> Payload
    ) -> AuthenticatedReader {
        let reader = BodyReader<4>(wanting: ["app_id", "user_id", "security_key", name])
        return AuthenticatedReader { perform in
            { request, evaluate throws(BodyError) in
                try reader.withFields(of: request) { fields, bytes throws(BodyError) in
                    guard try fields.evaluate(bytes, evaluate) else { return nil }
                    let text: String?
                    do throws(BodyError) {
                        text = try fields.text("\(name)", in: bytes, longest: longest)
                    } catch {
                        return .failure(error)
                    }
                    return bind(perform) { () throws(BodyError) in try payload(text) }
                }
            }
        }
    }

    private static func bind(_ perform: @escaping Perform, to payload: () throws(BodyError) -> Payload) -> Result<
        PreparedRequest, BodyError
    > {
        do throws(BodyError) {
            let payload = try payload()
            return .success { perform($0, payload) }
        } catch {
            return .failure(error)
        }
    }

    private static func parse(_ body: Span<UInt8>) throws(BodyError) -> JSONObject {
        let value: JSONValue
        do throws(JSONError) {
            value = try JSONDocument(parsing: body).value()
        } catch {
            throw .invalidJSON(error)
        }
        guard case .object(let object) = value else { throw .notAnObject }
        return object
    }
}

extension AuthenticatedReader where Payload == Void {
    /// Reads a JSON object or a form with only the credentials.
    package static var credentials: AuthenticatedReader {
        let reader = BodyReader<3>.credentials
        return AuthenticatedReader { perform in
            let bound: PreparedRequest = { perform($0, ()) }
            return { request, evaluate throws(BodyError) in
                try reader.withFields(of: request) { fields, bytes throws(BodyError) in
                    try fields.evaluate(bytes, evaluate) ? .success(bound) : nil
                }
            }
        }
    }
}

extension BodyFields {
    /// - Parameter bytes: the bytes that were passed together with these fields.
    fileprivate func evaluate(_ bytes: Span<UInt8>, _ evaluate: CredentialCheck) throws(BodyError) -> Bool {
        let ranges = try credentials()
        return evaluate(bytes.extracting(ranges.appID), bytes.extracting(ranges.userID), bytes.extracting(ranges.securityKey))
    }
}
