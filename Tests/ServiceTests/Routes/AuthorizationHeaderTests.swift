import HTTPServer
import TestSupport
import Testing

@testable import AdminAPI
@testable import Configuration
@testable import Dispatch
@testable import HelpDesk
@testable import Pyrus
@testable import Service

/// A request must have exactly one header `Authorization`, as on the routes of bots (`BotTicketRouteTests`): a proxy may have checked
/// another one.
@Suite struct AuthorizationHeaderTests {
    private static let good = "Authorization: Bearer \(ServiceFixture.token)\r\n"
    private static let wrong = "Authorization: Bearer none\r\n"
    private static let basic = "Authorization: Basic bm9uZQ==\r\n"

    /// The headers of requests, each with the expected status.
    private static let cases: [(headers: String, status: Int)] = [
        (good, 200), ("authorization:bearer  \(ServiceFixture.token)\t\r\n", 200), ("X-Authorization: Bearer none\r\n\(good)", 200),
        ("", 401), (wrong, 401), (basic, 401), (good + good, 401), (good + wrong, 401), (wrong + good, 401), (good + basic, 401),
        (basic + good, 401), ("\(good)X-Other: 1\r\nAUTHORIZATION:\r\n", 401), ("Authorization:\r\n\(good)", 401),
        (good + good + good, 401),
        ("Authorization: Bearer none, Bearer \(ServiceFixture.token)\r\n", 401),
    ]

    @Test(arguments: ["GET /v1/status", "GET /v1/deliveries", "DELETE /v1/deliveries?state=dead"])
    func `exactly one Authorization header is accepted`(request: String) throws {
        try ServiceFixture().withService { service in
            for (headers, status) in Self.cases {
                let client = try SocketClient(service.adminAddress)
                try client.send("\(request) HTTP/1.1\r\nHost: localhost\r\n\(headers)\r\n")
                let response = try client.readResponse()
                #expect(response.status == status, "\(headers)")
                if status == 401 { #expect(response.headers["www-authenticate"] == "Bearer", "\(headers)") }
            }
        }
    }
}
