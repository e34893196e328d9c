import Core
import HTTPClient
import TestSupport
import Testing

@testable import Notifiers

@Suite struct ReasonMeaningTests {
    @Test func `every reason of Deskgate has a meaning`() {
        for source in [ReasonSource.log, .http("crm"), .relay, .unknown] {
            for reason in NotifierReason.allCases.map(\.rawValue) + ClientReason.allCases.map(\.rawValue)
                + (100...599).map(StatusReason.word)
            {
                let meaning = ReasonMeaning(reason, from: source)
                #expect(meaning?.text.english.isEmpty == false, "\(reason)")
                for reported in [meaning?.text, meaning?.remedy].compactMap(\.self) {
                    #expect(reported.english.last != "." && reported.russian.last != "." && reported.isTranslated, "\(reason)")
                }
            }
            #expect(ReasonMeaning("something_new", from: source) == nil)
        }
    }

    /// The command with all of its arguments.
    private static let verify =
        "deskgate webhook verify --notifier crm --body FILE --id VALUE --timestamp VALUE --signature VALUE --explain"

    @Test func `statuses of a receiver have remedies`() {
        func remedy(_ status: Int) -> String? { ReasonMeaning(StatusReason.word(status), from: .http("crm"))?.remedy?.english }
        #expect(remedy(204) == nil)
        #expect(remedy(401)?.contains("secret") == true)
        #expect(remedy(403)?.contains("secret") == true)
        #expect(remedy(401)?.contains(Self.verify) == true)
        #expect(remedy(410) == "its receiver accepts no more events; ask its operator, then run deskgate reload")
        #expect(remedy(302) == "check \"url\"")
        #expect(remedy(404)?.contains("url") == true)
        #expect(remedy(429) == ReasonMeaning.waiting.english)
        #expect(remedy(500)?.contains("log") == true)
    }

    /// A partial success has the meaning of HMS's code for the token, so a delivered push is never explained as an unknown token.
    @Test func `a partial success of HMS is explained by the token's code`() throws {
        try PushFixture.run { fixture in
            let source = ReasonSource.push(try ProviderKind.hms.settings(fixture).provider)
            func meaning(_ message: String) throws -> ReasonMeaning {
                let body = #"{"code":"80100000","msg":"\#(message.replacing("\"", with: "\\\""))"}"#
                let answer = HMSAnswer.of(status: 200, body: Array(body.utf8), token: "ours", retryAfter: nil)
                return try #require(ReasonMeaning(answer.outcome.reason, from: source))
            }
            let arrived = try meaning(#"{"success":1,"failure":1,"illegal_tokens":["other"]}"#)
            #expect(arrived.text.english == "the provider accepted it")
            #expect(arrived.remedy == nil)
            let unknown = try meaning(#"{"success":1,"failure":1,"illegal_tokens":["ours"]}"#)
            #expect(unknown.text.english.contains("does not know the device's token"))
            let unclear = try meaning(#"{"success":0,"failure":1,"illegal_tokens":[]}"#)
            #expect(unclear.text.english == "the provider failed")
            #expect(unclear.remedy?.english.hasPrefix(ReasonMeaning.waiting.english) == true)
        }
    }

    /// A rejection of the settings has the remedy that the log and `deskgate status` show.
    @Test(arguments: ProviderKind.allCases) func `settings problems have each provider's own remedies`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let source = ReasonSource.push(try kind.settings(fixture).provider)
            let notifier = try kind.notifier(fixture)
            var count = 0
            for (reason, objection) in Self.objections(kind) {
                let meaning = try #require(ReasonMeaning(reason, from: source), "\(reason)")
                switch objection {
                case .none: #expect(meaning.remedy == nil)
                case .deviceGone: #expect(meaning.remedy == ReasonMeaning.newToken && meaning.text.isTranslated)
                case .otherApp:
                    #expect(
                        meaning.remedy?.english.contains("check \"") == true && meaning.remedy?.english.contains("many devices") == true,
                        "\(reason)")
                    #expect(meaning.remedy?.english.contains("left the registry") == false, "it stays there: \(reason)")
                case .tooMany, .failing: #expect(meaning.remedy?.english.hasPrefix(ReasonMeaning.waiting.english) == true)
                case .message: #expect(meaning.remedy?.english.contains("texts") == true)
                case .settings: #expect(meaning.remedy?.english == notifier.remedy(for: reason), "\(reason)")
                }
                #expect(meaning.remedy?.isTranslated != false, "\(reason)")
                count += 1
            }
            #expect(count > 10)
            let skew = ProviderTokenFailure.StateReason.clockSkew.rawValue
            #expect(ReasonMeaning(skew, from: source)?.remedy?.english == notifier.remedy(for: skew))
            #expect(
                ReasonMeaning("token_host_unknown", from: source)?.text.english.hasPrefix("while an access token was fetched, ") == true)
            #expect(ReasonMeaning("token_malformed", from: source)?.remedy?.english == notifier.remedy(for: "token_malformed"))
            #expect(ReasonMeaning(StatusReason.word(403), from: source)?.remedy?.english == notifier.remedy(for: StatusReason.word(403)))
            #expect(ReasonMeaning(StatusReason.word(400), from: source)?.remedy?.english.contains("texts") == true)
        }
    }

    /// An operator cannot repair a provider, and a token server that fails has not checked the credential.
    @Test(arguments: ProviderKind.allCases) func `a failing provider has its own remedy`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let source = ReasonSource.push(try kind.settings(fixture).provider)
            func meaning(_ reason: String) throws -> ReasonMeaning { try #require(ReasonMeaning(reason, from: source), "\(reason)") }
            for reason in ["token_status_429", "token_status_503", "status_500", "status_503"] {
                #expect(try meaning(reason).remedy?.isWaiting == true, "\(reason)")
                #expect(try meaning(reason).lasting == ReasonMeaning.statusPage, "\(reason)")
            }
            #expect(try meaning("token_status_401").remedy == source.settingsRemedy("token_status_401"))
            #expect(try meaning("status_429").lasting?.english == "have the provider raise your quota of pushes")
            #expect(try meaning("too_many_token_updates").lasting?.english.hasPrefix("reload less often: ") == true)
            for (reason, objection) in Self.objections(kind) where objection == .tooMany || objection == .failing {
                #expect(try meaning(reason).lasting?.isTranslated == true, "\(reason)")
            }
        }
    }

    @Test(arguments: ProviderKind.allCases) func `an unknown token ends its device`(_ kind: ProviderKind) throws {
        try PushFixture.run { fixture in
            let source = ReasonSource.push(try kind.settings(fixture).provider)
            for (reason, objection) in Self.objections(kind) {
                #expect(source.endsDevice(reason) == [.deviceGone, .otherApp].contains(objection), "\(reason)")
            }
            #expect(source.endsDevice("invalid_token"))
            #expect(!source.endsDevice("expired"))
            #expect(!source.endsDevice("status_410"))
            #expect(!ReasonSource.http("crm").endsDevice("unregistered"))
        }
    }

    private static func objections(_ kind: ProviderKind) -> [(reason: String, objection: ProviderObjection)] {
        switch kind {
        case .apns: APNsReason.allCases.map { ($0.word, $0.objection) }
        case .fcm: FCMErrorCode.allCases.map { ($0.word, $0.objection(isRuStore: false)) }
        case .rustore: FCMErrorCode.allCases.map { ($0.word, $0.objection(isRuStore: true)) }
        case .hms: HMSCode.allCases.map { (HMSCode.word($0.rawValue), $0.objection) }
        }
    }
}
