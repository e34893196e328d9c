internal import Bytes
internal import Configuration
internal import Core
internal import Crypto
internal import HTTPServer
internal import HelpDesk
internal import Observability
internal import Threading

/// The restrictions on callers of the public listener: an immutable snapshot, which a reload replaces.
final class CallerRules: Sendable {
    let networks: [IPNetwork]?
    let clientAuthorities: ClientAuthorities?
    let header: (name: [UInt8], secrets: [SecretBytes])?
    let proxies: TrustedProxies?

    init(_ callers: Configuration.Callers) {
        networks = callers.networks
        clientAuthorities = callers.clientAuthorities
        header = callers.sharedHeader.map { (Array($0.name.utf8), $0.secrets) }
        proxies = callers.trustedProxies
    }

    /// Returns the origin of a request: its connection's peer, or the address that a trusted proxy reports.
    func client(of request: borrowing Request) -> PeerHost {
        let peer = request.peerHost()
        guard let proxies else { return peer }
        return proxies.client(
            of: peer, forwardedFor: request.headerValues("x-forwarded-for"), forwarded: request.headerValues("forwarded"))
    }
}

/// Rejects callers from other networks, without a client certificate or without the shared header, before their bodies are received.
///
/// A rejection is no verdict on a user, so it has a separate body, log line and metric. A rejected help desk still treats the 403 as a
/// denial: an operator who restricts callers must know the addresses of the help desk.
struct PublicGate: Sendable {
    private static let wrongNetwork = Response.error(403, code: "forbidden_network", message: "Calls from this network are not accepted.")
    private static let wrongCertificate = Response.error(
        403, code: "forbidden_certificate", message: "This call lacks a client certificate that is accepted here.")
    private static let wrongHeader = Response.error(
        403, code: "forbidden_header", message: "This call lacks the required shared header.")
    /// An internal failure.
    private static let undecided = AuthorizeRefusals().undecided

    let rules: SnapshotReference<CallerRules>
    private let network: Counter
    private let forwarded: Counter
    private let certificate: Counter
    private let header: Counter
    private let denials: DenialLog

    init(_ callers: Configuration.Callers, registry: MetricsRegistry, denials: DenialLog) {
        rules = SnapshotReference(CallerRules(callers))
        let family = Self.refusedCallers(registry)
        network = family.child(CallerRefusal.network.rawValue)
        forwarded = family.child(CallerRefusal.forwarded.rawValue)
        certificate = family.child(CallerRefusal.certificate.rawValue)
        header = family.child(CallerRefusal.header.rawValue)
        self.denials = denials
    }

    static func refusedCallers(_ registry: MetricsRegistry) -> MetricFamily<Counter> {
        registry.counter(
            "deskgate_refused_callers_total", "Calls of the public listener that were rejected because of their origin.", labels: ["reason"]
        )
    }

    /// Returns the same route for callers that the current rules admit.
    func guarding(_ route: Route) -> Route {
        let path = "\(route.path)"
        return route.screened { request in refusal(of: request, path) }
    }

    /// Whether the operator expects calls from an address, so that its connections have no limit of their own: it is in `listen.allow`, or
    /// is a trusted proxy's.
    func expects(_ address: IPAddress) -> Bool {
        let rules = rules.current
        let isAllowed = rules.networks?.contains { $0.contains(address) } ?? false
        return isAllowed || rules.proxies?.networks.contains { $0.contains(address) } ?? false
    }

    private func refusal(of request: borrowing Request, _ path: String) -> Response? {
        let rules = rules.current
        if let networks = rules.networks {
            switch rules.client(of: request) {
            case .unixSocket: break
            case .unknown:
                // A proxy that omits the address is misconfigured by the operator.
                return request.peerHost() == .unknown
                    ? Self.undecided : refuse(request, path: path, reason: .forwarded, counter: forwarded, response: Self.undecided)
            case .address(let address):
                if !networks.contains(where: { $0.contains(address) }) {
                    return refuse(request, path: path, reason: .network, counter: network, response: Self.wrongNetwork)
                }
            }
        }
        if let authorities = rules.clientAuthorities {
            let shown = request.peerCertificate(authorities)
            switch shown {
            case .trusted: break
            case .unknown: return Self.undecided
            case .missing, .expired, .untrusted:
                return refuse(
                    request, path: path, reason: .certificate, counter: certificate, response: Self.wrongCertificate, certificate: shown)
            }
        }
        if let header = rules.header, !Self.knows(request, name: header.name, secrets: header.secrets) {
            return refuse(request, path: path, reason: .header, counter: self.header, response: Self.wrongHeader)
        }
        return nil
    }

    /// Compares with every secret, each in constant time.
    private static func knows(_ request: borrowing Request, name: [UInt8], secrets: [SecretBytes]) -> Bool {
        var isKnown = false
        request.withHeader(named: name) { value in
            guard let value else { return }
            for secret in secrets {
                let isEqual = secret.withSpan { constantTimeEquals($0, value) }
                isKnown = isKnown || isEqual
            }
        }
        return isKnown
    }

    private func refuse(
        _ request: borrowing Request, path: String, reason: CallerRefusal, counter: Counter, response: Response,
        certificate: PeerCertificate? = nil
    ) -> Response {
        counter.increment()
        let (peer, requestID) = (request.peer(), request.requestID)
        var fields: LogFields = [
            "reason": .string(reason.rawValue), "route": .string(path), "peer": .string(peer), "request_id": .string(requestID),
        ]
        let client = rules.current.client(of: request)
        if client != request.peerHost(), case .address(let address) = client { fields.append("client", .string(address.description)) }
        if let certificate { fields.append("certificate", .string(certificate.rawValue)) }
        denials.log(.warning, message: "caller refused", reason: reason.rawValue, fields: fields)
        return response
    }
}
