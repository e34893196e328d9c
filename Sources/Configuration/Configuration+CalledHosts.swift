internal import Notifiers

extension Configuration {
    /// The names of the hosts that the service calls for providers, backends, help desks and bots, each once, with the JSON path of the
    /// first setting that names it. Numeric and loopback addresses are left out. For a notifier with a proxy, only the proxy is included,
    /// because the proxy resolves the other names.
    package var calledHosts: [(path: String, host: String)] {
        var found: [(path: String, host: String)] = []
        for (path, address) in calledAddresses {
            guard let url = try? DestinationURL(address), !url.isLoopback, !url.isNumeric else { continue }
            if !found.contains(where: { $0.host == url.host }) { found.append((path, url.host)) }
        }
        return found
    }

    /// Whether the service calls other machines.
    var callsOtherMachines: Bool { calledAddresses.contains { _, address in (try? DestinationURL(address))?.isLoopback == false } }

    private var calledAddresses: [(path: String, address: String)] {
        let backends = apps.enumerated().compactMap { index, app in app.verify.map { ("$.apps[\(index)].verify.url", $0.url) } }
        let collector = traces.map { [("$.traces.otlp.url", $0.url)] } ?? []
        let sendbird = apps.enumerated().flatMap { index, app in
            [("chat_url", app.sendbird?.chatURL), ("desk_url", app.sendbird?.deskURL)].compactMap { key, url in
                url.map { ("$.apps[\(index)].sendbird.\(key)", $0) }
            }
        }
        return backends + sendbird + botAddresses + collector
            + notifiers.flatMap { notifier in
                Self.addresses(of: notifier.kind).map { ("$.notifiers.\(notifier.name)", $0) }
            }
    }

    private static func addresses(of kind: Notifier.Kind) -> [String] {
        switch kind {
        case .log: []
        case .http(let http): http.transport.proxy.map { [$0] } ?? [http.url]
        case .relay(let relay): relay.transport.proxy.map { [$0] } ?? (relay.url.map { [$0] } ?? relay.apps.map(\.url))
        case .push(let push): push.transport.proxy.map { [$0] } ?? addresses(of: push.provider)
        }
    }

    private static func addresses(of provider: PushDestination) -> [String] {
        switch provider {
        case .apns(let apns): [apns.url, apns.sandboxURL]
        case .fcm(let fcm): [fcm.url]
        case .rustore(let rustore): [rustore.url]
        case .hms(let hms): [hms.url, hms.tokenURL]
        }
    }
}

extension DestinationURL {
    /// Whether the host is a numeric address, which needs no DNS lookup.
    fileprivate var isNumeric: Bool { host.contains(":") || host.allSatisfy { $0.isNumber || $0 == "." } }
}
