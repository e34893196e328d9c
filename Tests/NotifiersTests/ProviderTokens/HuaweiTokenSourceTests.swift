import Core
import Notifiers
import TestSupport
import Testing

struct HuaweiTokenSourceTests {
    @Test func `an app's credentials are exchanged for a token`() throws {
        let granted = ScriptedStep.respond(200, body: #"{"access_token":"DQEBAz\/pzBG+I=","expires_in":3600,"token_type":"Bearer"}"#)
        try ExchangeFixture.with(.everyRequest(granted)) { fixture in
            #expect(try fixture.huawei().fetched() == .token("DQEBAz/pzBG+I=", lifetime: 3_600_000))
            let request = try #require(fixture.server.requests.first)
            #expect(request.target == "/oauth2/v3/token")
            #expect(request.text == "grant_type=client_credentials&client_id=10086&client_secret=s%2Be%20c%26r%3De%2Ft")
        }
        #expect(HuaweiTokenSource.tokenURL == "https://oauth-login.cloud.huawei.com/oauth2/v3/token")
    }

    /// The request contains no time, so a wrong clock is no cause of a refusal.
    @Test func `a refusal has Huawei's number and no time`() throws {
        let body = #"{"error":1101,"sub_error":12304,"error_description":"invalid client_secret"}"#
        let refused = ScriptedStep.respond(400, headers: ["Date: Tue, 14 Nov 2023 23:13:20 GMT"], body: body)
        try ExchangeFixture.with(.everyRequest(refused)) { fixture in
            let answer = try fixture.huawei().fetched()
            #expect(answer == .refused("token_error_1101", providerUnixSeconds: nil))
        }
    }
}
