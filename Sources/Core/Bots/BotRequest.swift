package import Crypto

/// The method of a request to the company's backend.
package enum BotMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

/// The value of a header of a request to the company's backend.
package enum BotHeaderValue: Sendable {
    /// A text with places for arguments.
    case text(BotText)
    /// A secret, sent as it is.
    case secret(SecretBytes)
}

/// The request of a function to the company's backend.
package struct BotRequest: Sendable {
    package struct Header: Sendable {
        package let name: String
        package let value: BotHeaderValue

        package init(name: String, value: BotHeaderValue) {
            (self.name, self.value) = (name, value)
        }
    }

    package let method: BotMethod
    package let url: BotURLTemplate
    /// Additional headers; no name twice.
    package let headers: [Header]
    /// The timeout of the backend in milliseconds.
    package let timeoutMilliseconds: Int

    /// The default timeout of a backend in milliseconds: the vendor waits for about that.
    package static var usualTimeoutMilliseconds: Int { 3000 }

    package init(
        method: BotMethod, url: BotURLTemplate, headers: [Header] = [], timeoutMilliseconds: Int = usualTimeoutMilliseconds
    ) {
        (self.method, self.url, self.headers, self.timeoutMilliseconds) = (method, url, headers, timeoutMilliseconds)
    }
}

/// A request to the company's backend with all arguments in their places.
package struct BotFilledRequest: Sendable {
    package let method: BotMethod
    /// The address, in visible ASCII.
    package let url: String
    /// The configured headers, secrets included: not to be logged.
    package let headers: [(name: String, value: String)]
    /// A JSON object with the arguments that have no place in the address or a header; nil for GET.
    package let body: [UInt8]?
    /// The timeout of the backend in milliseconds.
    package let timeoutMilliseconds: Int
}

/// The reason why arguments make no call: a sentence that the model can act on, without their values.
package struct BotArgumentsProblem: Error, Equatable, CustomStringConvertible {
    /// The sentence, such as `order_id is missing`.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
