internal import Bytes
package import Crypto
package import Notifiers

extension Configuration {
    /// Where spans of traces are exported to, by OTLP over HTTP.
    package struct TraceExport: Sendable, Equatable {
        /// A header of the requests.
        package struct Header: Sendable, Equatable {
            /// Its name.
            package var name: String
            /// Its value, which may be a secret.
            package var value: SecretBytes
        }

        /// The whole address of the collector: `https`, or `http` where that is allowed.
        package var url: String
        /// What its requests carry beside their own headers; no name twice.
        package var headers: [Header]
        /// Which share of the traces that begin here is recorded, from 0 to 1.
        package var sampleRatio: Double
        /// How long a request may take, in seconds.
        package var timeoutSeconds: Int
        /// The authorities that the collector's certificate is checked with; nil for the system's.
        package var certificateAuthorities: PEMFile?

        /// The headers as they are sent.
        package var headerTexts: [(name: String, value: String)] {
            headers.map { header in
                (header.name, header.value.withSpan { span in String(repairing: span) })
            }
        }
    }
}
