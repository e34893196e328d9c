internal import HTTP2Server

/// How one provider judges requests. Used by the threads of its server.
protocol SimulatorRules: Sendable {
    /// What a request is about, for matching faults.
    func subject(of request: HTTP2Request) -> Fault.Subject
    /// What the provider answers.
    func answer(_ request: HTTP2Request) -> SimulatorAnswer
    /// The provider's own words for a refusal that a fault asks for.
    func refusal(_ answer: Fault.Answer, _ request: HTTP2Request) -> SimulatorAnswer
}

extension HTTP2Request {
    /// The token of `Authorization: Bearer …`; nil when there is none.
    var bearer: String? {
        guard let value = header("authorization"), let space = value.utf8.firstIndex(of: UInt8(ascii: " ")) else { return nil }
        guard value[..<space].lowercased() == "bearer" else { return nil }
        let token = value[value.utf8.index(after: space)...]
        return token.isEmpty ? nil : String(token)
    }

    /// The headers without the credentials, for the record.
    var recordableHeaders: [(name: String, value: String)] {
        headers.filter { $0.name != "authorization" }
    }
}
