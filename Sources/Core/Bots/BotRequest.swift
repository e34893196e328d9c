package import Crypto

package enum BotMethod: String, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
    case put = "PUT"
    case patch = "PATCH"
    case delete = "DELETE"
}

package enum BotHeaderValue: Sendable {
    /// A text with placeholders.
    case text(BotText)
    /// Sent unchanged.
    case secret(SecretBytes)
}

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
    /// Names are unique.
    package let headers: [Header]
    package let timeoutMilliseconds: Int

    /// The vendor waits for about this time.
    package static var defaultTimeoutMilliseconds: Int { 3000 }

    package init(
        method: BotMethod, url: BotURLTemplate, headers: [Header] = [], timeoutMilliseconds: Int = defaultTimeoutMilliseconds
    ) {
        (self.method, self.url, self.headers, self.timeoutMilliseconds) = (method, url, headers, timeoutMilliseconds)
    }
}

package struct BotFilledRequest: Sendable {
    package let method: BotMethod
    /// Visible ASCII.
    package let url: String
    /// Contains secrets: do not log it.
    package let headers: [(name: String, value: String)]
    /// A JSON object with the arguments that are not placeholders of the URL or of a header; nil for GET.
    package let body: [UInt8]?
    package let timeoutMilliseconds: Int
}

/// The reason for rejecting arguments: a sentence for the model, without argument values.
package struct BotArgumentsProblem: Error, Equatable, CustomStringConvertible {
    /// For example `order_id is missing`.
    package let description: String

    package init(_ description: String) {
        self.description = description
    }
}
