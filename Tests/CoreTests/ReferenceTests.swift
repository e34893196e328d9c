import Core
import TestSupport
import Testing

@Suite struct ReferenceTests {
    private func user(_ app: String, user: String, applications: [Application]) throws -> String {
        let (app, user) = (Array(app.utf8), Array(user.utf8))
        let reference = try Authorizer(applications).userReference(appID: app.span, userID: user.span)
        return try #require(reference)
    }

    @Test func `is stable while the oldest key stays`() throws {
        let first = try user("shop", user: "anna", applications: [Samples.application("shop", keys: 1)])
        #expect(first.utf8.count == 12 && first.allSatisfy(\.isHexDigit))
        #expect(
            try user("shop", user: "anna", applications: [Samples.application("bank", keys: 9), Samples.application("shop", keys: 2, 1)])
                == first)
        #expect(try user("shop", user: "anna", applications: [Samples.application("shop", keys: 2)]) != first)
    }

    @Test func `differs for every person and app`() throws {
        let applications = try [Samples.application("shop", keys: 1), Samples.application("shopa", keys: 1)]
        let names = try [("shop", "anna"), ("shop", "ann"), ("shopa", "nna"), ("shop", ""), ("stop", "anna"), ("sto", "panna")].map {
            try user($0.0, user: $0.1, applications: applications)
        }
        #expect(Set(names).count == names.count)
    }

    @Test func `exists for an app that is not configured`() throws {
        let authorizer = try Authorizer([Samples.application("shop", keys: 1)])
        let (one, other) = (Array("stop".utf8), Array("stops".utf8))
        let names = [
            authorizer.appReference(appID: one.span), authorizer.appReference(appID: one.span), authorizer.appReference(appID: other.span),
        ]
        #expect(names[0] != nil && names[0] == names[1])
        #expect(names[2] != nil && names[2] != names[0])
    }
}
