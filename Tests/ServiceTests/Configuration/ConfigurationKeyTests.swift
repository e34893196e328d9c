import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// Unknown keys.
@Suite struct ConfigurationKeyTests {
    @Test(arguments: [
        (#""lisen":{}"#, #"$.lisen: unknown key; did you mean "listen"?"#),
        (#""Log":{}"#, #"$.Log: unknown key; did you mean "log"?"#),
        (#""security-key":{}"#, #"$.security-key: unknown key; did you mean "security_keys"?"#),
        (#""listen":{"prot":1}"#, #"$.listen.prot: unknown key; did you mean "port"?"#),
        (#""listen":{"frobnicate":"x"}"#, "$.listen.frobnicate: unknown key; known here: \(listenerKeys)"),
        (
            #""listen":{"token":"x"}"#,
            "$.listen.token: unknown key; known here: \(listenerKeys)"
        ),
        (#""shutdown":{"key":{"file":"x"}}"#, "$.shutdown.key: unknown key; known here: drain_seconds"),
        (#""shutdown":{"type":"x"}"#, "$.shutdown.type: unknown key; known here: drain_seconds"),
        (#""listen":{"роrt":1}"#, #"$.listen.роrt: unknown key: its letters р, о are Cyrillic; type "port" in Latin letters"#),
        (#""listen":{"p\u03BFrt":1}"#, "$.listen.p\u{3BF}rt: unknown key: its letter \u{3BF} is Greek; type \"port\" in Latin letters"),
        (#""listen":{"port\u200B":1}"#, "$.listen.port\u{200B}: unknown key: its character U+200B is not ASCII; type \"port\" again"),
        (#""listen":{"порт":1}"#, "$.listen.порт: unknown key; known here: \(listenerKeys)"),
        (#""webhook":{}"#, "$.webhook: unknown key; it belongs to $.apps[]"),
        (#""tls":{}"#, "$.tls: unknown key; it belongs to $.listen or $.admin"),
        (
            #""longest_life_seconds":1"#,
            "$.longest_life_seconds: unknown key; it belongs to $.apps[].security_keys or $.security_keys"
        ),
        (#""listen":{"tls":{"cert":"x"}}"#, "$.listen.tls.cert: unknown key; known here: certificate, client_authorities, key"),
        (#""shutdown":{"drain":1}"#, "$.shutdown.drain: unknown key; known here: drain_seconds"),
        (#""log":{"levels":"info"}"#, #"$.log.levels: unknown key; did you mean "level"?"#),
        (#""security_keys":{"clock_skew":1}"#, #"$.security_keys.clock_skew: unknown key; known here: \#(securityKeys)"#),
        (#""admin":{"metrics_needs_token":true}"#, #"$.admin.metrics_needs_token: unknown key; did you mean "metrics_need_token"?"#),
        (#""store":{"max_pendin":1}"#, #"$.store.max_pendin: unknown key; did you mean "max_pending"?"#),
        (#""deliveries":{"keep":1}"#, "$.deliveries.keep: unknown key; known here: \(deliveryKeys)"),
        (#""notifiers":{"log":{"type":"log","url":"x"}}"#, "$.notifiers.log.url: unknown key; known here: requires_device, type"),
        (#""notifiers":{"log":{"type":"http","ulr":"x"}}"#, #"$.notifiers.log.ulr: unknown key; did you mean "url"?"#),
        (#""":1"#, #"$."": unknown key; known here: \#(rootKeys)"#),
        (#""a\u001b[2J\u009b\u007f":1"#, "$.a?[2J??: unknown key; known here: \(rootKeys)"),
    ])
    func `are rejected with the most similar key`(member: String, problem: String) throws {
        let problems = try ConfigurationDirectory().problems(members: member)
        #expect(problems.first == problem)
    }

    @Test func `of apps and keys are rejected`() throws {
        let directory = try ConfigurationDirectory()
        let key = #"{"id":1,"idd":2,"topic":"x","secret":{"file":"secrets/app-1.key","x":1}}"#
        #expect(
            try directory.problems(#"{"apps":[{"app_id":"shop","appid":"shop","App_ID":"shop","keys":[\#(key)]}]}"#) == [
                #"$.apps[0].appid: unknown key; did you mean "app_id"?"#, #"$.apps[0].App_ID: unknown key; did you mean "app_id"?"#,
                #"$.apps[0].keys[0].idd: unknown key; did you mean "id"?"#,
                "$.apps[0].keys[0].topic: unknown key; it belongs to $.notifiers.NAME",
                "$.apps[0].keys[0].secret.x: unknown key; known here: credential, env, file",
            ])
    }

    @Test(arguments: [
        ("x", ["id"], #"unknown key; known here: id"#),
        ("ix", ["id"], #"unknown key; did you mean "id"?"#),
        ("idx", ["id"], #"unknown key; did you mean "id"?"#),
        ("xyz", ["log"], #"unknown key; known here: log"#),
        ("lgo", ["log"], #"unknown key; did you mean "log"?"#),
        ("port", ["host", "port"], #"unknown key; did you mean "port"?"#),
        ("", ["file", "env"], "unknown key; known here: env, file"),
    ])
    func `without similar keys get no suggestion`(key: String, known: [String], message: String) {
        #expect(UnknownKey.message(key, known: known) == message)
    }

    @Test func `may be very long`() {
        let key = String(repeating: "listen", count: 100_000)
        #expect(UnknownKey.message(key, known: ["listen"]) == "unknown key; known here: listen")
        #expect(printable(key) == String(repeating: "listen", count: 100).prefix(64))
    }
}

private let rootKeys =
    "$schema, admin, allow_insecure_secrets, apps, bots, deliveries, listen, log, notifiers, operators, push_tokens, reload, security_keys, shutdown, "
    + "store, traces"
private let listenerKeys =
    "allow, bodies_megabytes, host, idle_timeout_seconds, max_connections, port, request_timeout_seconds, shared_header, tls, "
    + "trusted_proxies, unix"
private let deliveryKeys = "expire_after_seconds, keep_dead_days, keep_delivered_days"
private let securityKeys = "clock_skew_seconds, default_life_seconds, longest_life_seconds"
