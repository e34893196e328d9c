internal import Bytes
internal import HTTPClient
internal import POSIX
internal import Threading
internal import Time

struct Page {
    /// The URL after all redirects.
    let url: WebURL
    /// Nil when the header is missing.
    let contentType: String?
    /// The first bytes, decompressed.
    let body: [UInt8]
    /// The reason why the body is incomplete; nil when it is complete, or cut at the limit.
    let failure: PreviewRefusal?
}

/// Fetches pages of the public Internet and nothing else.
///
/// The name of each hop is resolved once. If one of its addresses is not public, nothing is sent. Otherwise the client connects to an
/// address of that answer, and checks it again when it creates the socket. A second, different answer of the name server is therefore never
/// used.
struct PageFetcher {
    let rules: PreviewRules
    let resolver: NameResolver
    /// A client whose `admits` is that of the rules, which keeps no connections and uses no proxy.
    let client: Client
    let person: ShareOwner

    /// Blocks for as long as the rules allow.
    func page(at first: WebURL) throws(PreviewRefusal) -> Page {
        let deadline = SystemClock.monotonicMilliseconds() + rules.milliseconds
        var url = first
        for _ in 0...rules.redirects {
            let response = try response(to: url, until: deadline)
            guard [301, 302, 303, 307, 308].contains(response.status), let location = response.header("Location") else {
                return try page(url, response)
            }
            do throws(WebURL.Problem) {
                url = try url.resolving(location)
            } catch {
                throw .notAllowed
            }
        }
        throw .redirects
    }

    private func page(_ url: WebURL, _ response: ClientResponse) throws(PreviewRefusal) -> Page {
        guard 200...299 ~= response.status else { throw .status }
        let contentType = response.header("Content-Type")
        let mediaType = contentType?.utf8.prefix { $0 > 0x20 && $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: ",") }
        guard let mediaType, String(decoding: Array(mediaType), as: UTF8.self).lowercased() == "text/html" else { throw .notHTML }
        return Page(url: url, contentType: contentType, body: response.body, failure: response.bodyFailure.map(Self.refusal))
    }

    private func response(to url: WebURL, until deadline: MonotonicMilliseconds) throws(PreviewRefusal) -> ClientResponse {
        if let problem = rules.problem(of: url) { throw problem }
        let addresses = try addresses(of: url.host, until: deadline).prefix(rules.addressesTried)
        var failure = PreviewRefusal.unreachable
        for (index, address) in addresses.enumerated() {
            let isLast = index == addresses.count - 1
            switch try exchange(url, at: address, until: deadline, isLast: isLast) {
            case .success(let response): return response
            case .failure(.timeout(.connecting)): failure = .timeout
            case .failure(.connect): failure = .unreachable
            case .failure(let error): throw Self.refusal(error)
            }
        }
        throw failure
    }

    private static func refusal(_ error: ClientError) -> PreviewRefusal {
        if case .timeout = error { .timeout } else { .unreachable }
    }

    private func addresses(of host: String, until deadline: MonotonicMilliseconds) throws(PreviewRefusal) -> [IPAddress] {
        let found: [IPAddress]
        if let address = IPAddress(host) {
            found = [address]
        } else {
            do throws(NameResolver.Failure) {
                found = try resolver.addresses(of: host, for: person, timeoutMilliseconds: remaining(until: deadline))
            } catch {
                // So many names are left behind only while name servers hang.
                throw error == .unknown ? .unresolved : .timeout
            }
        }
        guard found.allSatisfy(rules.admits) else { throw .notPublic }
        return found
    }

    private func exchange(
        _ url: WebURL, at address: IPAddress, until deadline: MonotonicMilliseconds, isLast: Bool
    ) throws(PreviewRefusal) -> Result<ClientResponse, ClientError> {
        let left = remaining(until: deadline)
        guard left > 0 else { throw .timeout }
        let connecting = isLast ? left : min(left, rules.connectMilliseconds)
        guard
            let request = try? ClientRequest(
                .get, url.text, headers: [("Accept", "text/html")], timeoutMilliseconds: Int(left),
                connectTimeoutMilliseconds: Int(connecting), responseBodyLimit: rules.pageBytes, address: address, acceptsCompression: true,
                takesPartialBody: true)
        else { throw .notAllowed }
        let result = Monitor<Result<ClientResponse, ClientError>?>(nil)
        client.send(request) { end in result.update { $0 = end } }
        // The client ends every request in its time.
        return result.wait { $0 } ?? .failure(.cancelled)
    }

    private func remaining(until deadline: MonotonicMilliseconds) -> UInt64 {
        SystemClock.monotonicMilliseconds().remaining(until: deadline)
    }
}
