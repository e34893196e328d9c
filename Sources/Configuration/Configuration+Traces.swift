internal import Bytes
internal import Core
package import Crypto
package import Notifiers

extension Configuration {
    package struct TraceExport: Sendable, Equatable {
        package struct Header: Sendable, Equatable {
            package var name: String
            /// The value, which may be a secret.
            package var value: SecretBytes
        }

        /// The full address of the collector: `https`, or `http` if it is allowed.
        package var url: String
        /// Additional headers of the requests, without duplicate names.
        package var headers: [Header]
        /// The fraction of traces that are recorded, from 0 to 1.
        package var sampleRatio: Double
        /// Whether every trace that a caller has marked as sampled is recorded. If false, the sample ratio also applies to these traces.
        package var isParentBased = false
        /// The timeout of a request in seconds.
        package var timeoutSeconds: Int
        /// The certificate authorities for the collector's certificate; nil for the authorities of the system.
        package var certificateAuthorities: PEMFile?

        /// The headers in the form for requests.
        package var headerTexts: [(name: String, value: String)] {
            headers.map { header in
                (header.name, header.value.withSpan { span in String(repairing: span) })
            }
        }
    }
}

extension Configuration {
    /// Warns about an address that probably accepts no traces, and about sampling that untrusted callers control.
    var traceWarnings: [ConfigurationWarning] { traceAddressWarnings + samplingWarnings }

    private var traceAddressWarnings: [ConfigurationWarning] {
        guard let traces, let start = traces.url.firstRange(of: "://") else { return [] }
        let rest = traces.url[start.upperBound...]
        let authority = rest.prefix { $0 != "/" && $0 != "?" }
        let path = rest[authority.endIndex...].prefix { $0 != "?" }
        let isOther = ["/v1/metrics", "/v1/logs", "/api/traces"].contains { path.hasSuffix($0) }
        guard authority.hasSuffix(":4317") || path.isEmpty || path == "/" || isOther else { return [] }
        return [
            ConfigurationWarning(
                path: "$.traces.otlp.url",
                message: LocalizedText(
                    "is probably not an OTLP/HTTP address: collectors use port 4317 for gRPC, and the full address usually ",
                    "обычно не принимает трассы по OTLP поверх HTTP: порт 4317 нужен для gRPC, а полный адрес чаще всего ")
                    + LocalizedText("ends with :4318/v1/traces", "кончается на :4318/v1/traces"))
        ]
    }

    private var samplingWarnings: [ConfigurationWarning] {
        guard let traces else { return [] }
        if traces.isParentBased, !callers.areRestricted {
            return [
                ConfigurationWarning(
                    path: "$.traces.otlp.parent_based",
                    message: LocalizedText(
                        "any caller of the public listener can cause the export of spans, regardless of sample_ratio; ",
                        "любой, кому доступен публичный адрес, решает, что выгружать, что бы ни говорил sample_ratio; ")
                        + LocalizedText(
                            "remove it, or restrict the callers with $.listen.allow, $.listen.tls.client_authorities or ",
                            "уберите его или ограничьте вызывающих через $.listen.allow, $.listen.tls.client_authorities или ")
                        + LocalizedText(verbatim: "$.listen.shared_header"))
            ]
        }
        guard !traces.isParentBased, traces.sampleRatio == 0 else { return [] }
        return [
            ConfigurationWarning(
                path: "$.traces.otlp.sample_ratio",
                message: LocalizedText(
                    "is 0, and callers cannot request sampling, so nothing is exported; ",
                    "равен 0, и вызывающие не решают, так что ничего не выгружается; ")
                    + LocalizedText(
                        "set a greater ratio, set $.traces.otlp.parent_based, or remove $.traces",
                        "задайте долю или $.traces.otlp.parent_based либо уберите $.traces"))
        ]
    }
}
