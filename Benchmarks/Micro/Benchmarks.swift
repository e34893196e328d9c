import Core
import HTTPServer
internal import HelpDesk
import JSON
import Observability
import Service

/// The measurements, in the order of the table.
struct Benchmarks {
    private static let path = Array("/pyrus/authorize".utf8)

    private let fixture: Fixture
    private let stopwatch = Stopwatch()

    init(_ fixture: Fixture) {
        self.fixture = fixture
    }

    /// Takes all measurements; a few seconds.
    /// - Throws: when there is no server to call.
    func run() throws -> Costs {
        let valid = decide("decide: a valid key", expecting: 200)
        let json = handler("the handler: JSON", fixture.json, contentType: "application/json")
        let form = handler("the handler: form", fixture.form, contentType: "application/x-www-form-urlencoded")
        let wrong = decide("decide: a wrong MAC", securityKey: fixture.wrongKey, expecting: 403)
        let unknown = decide("decide: an unknown app", appID: fixture.unknownAppID, expecting: 403)
        return try Costs(
            valid: valid, jsonHandler: json, formHandler: form,
            others: [parseKey(), mint(), increment(), observe(), decodeForm(), document(), fields(), wrong, unknown]
                + ConnectionCosts.measure(stopwatch))
    }

    private func parseKey() -> Cost {
        let key = fixture.securityKey
        return stopwatch.measure("security key: parse") { SecurityKey(key.span) == nil ? 0 : 1 }
    }

    private func decide(_ name: String, appID: [UInt8]? = nil, securityKey: [UInt8]? = nil, expecting status: Int) -> Cost {
        let authorizer = fixture.authorizer
        let (appID, userID, key) = (appID ?? fixture.appID, fixture.userID, securityKey ?? fixture.securityKey)
        return stopwatch.measure(name) {
            let decision = authorizer.authorize(
                appID: appID.span, userID: userID.span, securityKey: key.span, now: Fixture.now, revocations: .none)
            precondition(decision.verdict.status == status)
            return decision.application ?? 0
        }
    }

    private func document() -> Cost {
        let body = fixture.json
        return stopwatch.measure("JSON: parse, free") {
            do throws(JSONError) {
                _ = try JSONDocument(parsing: body.span)
                return 1
            } catch {
                preconditionFailure("the fixture is JSON")
            }
        }
    }

    private func fields() -> Cost {
        let body = fixture.json
        return stopwatch.measure("JSON: parse, read three fields, free") {
            do {
                let document = try JSONDocument(parsing: body.span)
                return try document.withString("app_id") { appID throws(JSONFieldError) in
                    try document.withString("user_id") { userID throws(JSONFieldError) in
                        try document.withString("security_key") { key in appID.count + userID.count + key.count }
                    }
                }
            } catch {
                preconditionFailure("the fixture has the fields")
            }
        }
    }

    private func decodeForm() -> Cost {
        let decoder = FormDecoder<3>(wanting: ["app_id", "user_id", "security_key"])
        var body = ReusableBody(fixture.form)
        return stopwatch.measure("form: decode three fields") {
            body.withBytes { bytes in
                do throws(FormError) {
                    return try decoder.decode(&bytes)[2]?.count ?? 0
                } catch {
                    preconditionFailure("the fixture has the fields")
                }
            }
        }
    }

    private func handler(_ name: String, _ body: [UInt8], contentType: String) -> Cost {
        let router = fixture.router
        let exchange = StoredExchange(contentType: contentType)
        var body = ReusableBody(body)
        return stopwatch.measure(name) {
            guard case .handler(let endpoint, let route, _) = router.match(.post, path: Self.path.span) else {
                preconditionFailure("the public listener authorizes")
            }
            body.post(to: endpoint, exchange)
            precondition(exchange.response?.status == 200)
            return route
        }
    }

    private func increment() -> Cost {
        let counter = MetricsRegistry().counter("benchmark_total", "Counts.", labels: ["kind"]).child("any")
        return stopwatch.measure("metrics: increment a counter") {
            counter.increment()
            return 1
        }
    }

    private func observe() -> Cost {
        let histogram = MetricsRegistry().histogram("benchmark_seconds", "Durations.")
        return stopwatch.measure("metrics: observe a duration") {
            histogram.observe(nanoseconds: 20_000)
            return 1
        }
    }

    private func mint() -> Cost {
        let minting = fixture.minting
        return stopwatch.measure("security key: mint") {
            do throws(KeyMinting.Refusal) {
                return try minting.mint(appID: Fixture.appID, userID: Fixture.userID, now: Fixture.now).securityKey.utf8.count
            } catch {
                preconditionFailure("the fixture's app may mint")
            }
        }
    }
}
