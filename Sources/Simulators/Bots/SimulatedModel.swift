internal import Bytes
package import HTTPClient
package import JSON
internal import Threading
internal import Time

/// A chat vendor with its model: it receives the `data` of a message, and calls the functions that a script names.
///
/// Like the vendor, it has only that text: the functions, their URLs and their headers. So it can do exactly what the text allows. Calls
/// block. Safe on any thread.
package struct SimulatedModel: Sendable {
    package struct Function: Sendable {
        package let name: String
        /// The description for the model.
        package let description: String
        /// The JSON Schema of its arguments.
        package let parameters: JSONValue
        /// The method that the text tells the vendor to use.
        package let method: String
        package let url: String
        /// Includes the ticket.
        package let headers: [(name: String, value: String)]
    }

    package enum Form: Sendable, CaseIterable {
        case json
        case form
        case query
    }

    package struct Call: Sendable {
        package let function: String
        /// The arguments, as the model chooses them.
        package let arguments: JSONObject
        package let form: Form

        package init(_ function: String, arguments: JSONObject = [:], form: Form = .json) {
            self.function = function
            self.arguments = arguments
            self.form = form
        }
    }

    /// An error in a prompt, or a call without an answer. Contains no part of either.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    package let systemMessage: String
    package let functions: [Function]
    private let client: Client

    /// Parses the text of `ai_attrs`.
    /// - Parameter client: owned by the caller.
    package init(data: String, client: Client) throws(Failure) {
        guard let prompt = JSONValue(parsing: Array(data.utf8))?["ai_attrs"], let message = prompt["system_message"]?.text else {
            throw Failure(description: "the data has no ai_attrs with a system_message")
        }
        systemMessage = message
        functions = try (prompt["functions"]?.elements ?? []).map { function throws(Failure) in try Self.function(function) }
        self.client = client
    }

    private static func function(_ json: JSONValue) throws(Failure) -> Function {
        guard let name = json["name"]?.text, let description = json["description"]?.text, let parameters = json["parameters"],
            let method = json["request"]?["method"]?.text, let url = json["request"]?["url"]?.text,
            case .object(let headers)? = json["request"]?["headers"]
        else { throw Failure(description: "a function has no name, description, parameters or request") }
        return Function(
            name: name, description: description, parameters: parameters, method: method, url: url,
            headers: headers.members.map { ($0.key, $0.value.text ?? "") })
    }

    /// Calls a function and blocks.
    /// - Throws: when there is no such function, or no answer.
    package func ask(_ call: Call) throws(Failure) -> FunctionResponse {
        try request(for: call).send(with: client)
    }

    /// Creates the request of a call, which may be changed before it is sent.
    package func request(for call: Call) throws(Failure) -> ModelRequest {
        guard let function = functions.first(where: { $0.name.utf8.elementsEqual(call.function.utf8) }) else {
            throw Failure(description: "there is no function \(call.function)")
        }
        var request = ModelRequest(url: function.url, headers: function.headers)
        switch call.form {
        case .json:
            request.headers.append(("Content-Type", "application/json"))
            request.body = JSONValue.object(call.arguments).serialized()
        case .form:
            request.headers.append(("Content-Type", "application/x-www-form-urlencoded"))
            request.body = Self.encoded(call.arguments)
        case .query:
            request.method = .get
            if !call.arguments.members.isEmpty { request.url += "?" + String(decoding: Self.encoded(call.arguments), as: UTF8.self) }
        }
        return request
    }

    /// Encodes arguments as a form or a query; values that are not strings are encoded as JSON.
    private static func encoded(_ arguments: JSONObject) -> [UInt8] {
        var bytes: [UInt8] = []
        for member in arguments.members {
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            for byte in member.key.utf8 { bytes.append(percentEncoding: byte) }
            bytes.append(UInt8(ascii: "="))
            for byte in member.value.text.map({ Array($0.utf8) }) ?? member.value.serialized() { bytes.append(percentEncoding: byte) }
        }
        return bytes
    }
}

/// A request of the vendor, before it is sent.
package struct ModelRequest: Sendable {
    private static let timeoutMilliseconds: Int = TimeLimit.milliseconds(10_000)
    private static let answerLimit = 1 << 20

    package var method: ClientMethod = .post
    /// Includes the query.
    package var url: String
    /// Includes the ticket's header.
    package var headers: [(name: String, value: String)] = []
    /// Empty for GET.
    package var body: [UInt8] = []

    package init(url: String, headers: [(name: String, value: String)] = []) {
        self.url = url
        self.headers = headers
    }

    /// Sends the request unchanged, and blocks.
    /// - Throws: when it cannot be sent, or there is no answer.
    package func send(with client: Client) throws(SimulatedModel.Failure) -> FunctionResponse {
        let ready: ClientRequest
        do throws(ClientRequest.Problem) {
            ready = try ClientRequest(
                method, url, headers: headers, body: body, timeoutMilliseconds: Self.timeoutMilliseconds,
                responseBodyLimit: Self.answerLimit)
        } catch {
            throw SimulatedModel.Failure(description: "a call cannot be sent: \(error)")
        }
        let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
        client.send(ready) { answer in result.update { $0 = answer } }
        // The client ends every request after its timeout.
        switch result.wait({ $0 }) {
        case .success(let response):
            let endpoint = url.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false).first.map(String.init)
            return FunctionResponse(
                statusCode: response.status, endpoint: endpoint ?? "", response: JSONValue(parsing: response.body) ?? .null)
        case .failure(let error): throw SimulatedModel.Failure(description: "a call was not answered: \(error)")
        case nil: throw SimulatedModel.Failure(description: "a call was not answered")
        }
    }
}

/// The answer of a function, as the vendor stores it in a message's `data`.
package struct FunctionResponse: Sendable, Equatable {
    package let statusCode: Int
    /// The URL that was called, without its query.
    package let endpoint: String
    /// Null when the answer is not JSON.
    package let response: JSONValue

    package init(statusCode: Int, endpoint: String, response: JSONValue) {
        self.statusCode = statusCode
        self.endpoint = endpoint
        self.response = response
    }

    package var data: String {
        let json: JSONValue = [
            "function_response": [
                "status_code": .integer(Int64(statusCode)), "endpoint": .string(endpoint), "response": response,
            ]
        ]
        return String(decoding: json.serialized(), as: UTF8.self)
    }

    /// The name of the function: the last segment of the URL.
    package var function: String { endpoint.split(separator: "/").last.map(String.init) ?? "" }

    /// The text of a member of the answer.
    package func text(_ name: String) -> String? { response[name]?.text }
}
