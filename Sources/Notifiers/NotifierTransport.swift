package import HTTPClient

/// The connection of a notifier to its receiver.
package struct NotifierTransport: Sendable, Equatable {
    /// The timeout of an attempt in seconds; at least 1.
    package var timeoutSeconds: Int
    package var concurrency: Int
    /// The certificate authorities (PEM) that are trusted for the server's certificate; nil for the authorities of the system.
    package var certificateAuthorities: PEMFile?
    /// The proxy for all requests; nil for none.
    package var proxy: String?

    package init(timeoutSeconds: Int = 20, concurrency: Int, certificateAuthorities: PEMFile? = nil, proxy: String? = nil) {
        self.timeoutSeconds = timeoutSeconds
        self.concurrency = concurrency
        self.certificateAuthorities = certificateAuthorities
        self.proxy = proxy
    }

    /// The timeout of an attempt in milliseconds.
    package var timeoutMilliseconds: Int { timeoutSeconds * 1000 }

    /// Returns client settings with one connection for each concurrent attempt.
    package func clientSettings(userAgent: String) -> ClientSettings {
        ClientSettings(
            connectionsPerHost: concurrency, connectionLimit: concurrency, requestLimit: requestLimit, proxy: proxy,
            certificateAuthorities: certificateAuthorities?.path, userAgent: userAgent)
    }

    /// The maximum number of waiting and running requests in the client. It exceeds `concurrency`, because an attempt may repeat a request
    /// or fetch a token.
    var requestLimit: Int { 2 * concurrency + 16 }
}

/// A PEM file that libcurl reads. `contents` is a copy from the time when the configuration was read, so that a reload detects changes.
package struct PEMFile: Sendable, Equatable {
    /// The path for this process.
    package var path: String
    /// The contents when the configuration was read.
    package var contents: [UInt8]

    package init(path: String, contents: [UInt8]) {
        self.path = path
        self.contents = contents
    }

    package var text: String { String(decoding: contents, as: UTF8.self) }
}
