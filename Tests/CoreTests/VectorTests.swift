import Core
import TestSupport
import Testing

@Suite struct VectorTests {
    @Test func `the file is parsed completely`() throws {
        let file = try JudgedVectors()
        #expect(file.vectors.count >= 104)
        #expect(Set(file.vectors.map(\.name)).count == file.vectors.count)
        #expect(file.sharesSecretsOnPurpose)
    }

    @Test func `every reason of a decision occurs`() throws {
        let reasons = Set(try JudgedVectors().vectors.map(\.reason))
        let malformations: [ValidationError.Problem] = [.empty, .tooLong, .controlCharacter, .notASecurityKey]
        // Vectors need no operator, so nothing is revoked; they need no backend, and their secrets do not expire.
        let denials = Denial.allCases.filter { ![.keyRetired, .revoked, .backendDenied, .backendUndecided].contains($0) }
        #expect(reasons == Set(["valid"] + denials.map(\.rawValue) + malformations.map(\.rawValue)))
    }

    @Test(arguments: JudgedVectors.shared?.vectors ?? [])
    func decides(_ vector: Vector) throws {
        let verdict = try #require(JudgedVectors.shared).authorizer.authorize(vector.triple, now: vector.now).verdict
        #expect(verdict.status == vector.status)
        #expect(verdict.reason == vector.reason)
    }

    /// The order of apps and keys in a configuration has no meaning.
    @Test func `decides the same with apps in another order`() throws {
        let file = try JudgedVectors()
        let applications = file.authorizer.applications.reversed().map { application in
            Application(id: String(decoding: application.id, as: UTF8.self), keys: application.keys.reversed())
        }
        let authorizer = try Authorizer(applications, policy: file.authorizer.policy)
        for vector in file.vectors {
            let decision = authorizer.authorize(vector.triple, now: vector.now)
            #expect(decision == file.authorizer.authorize(vector.triple, now: vector.now), "\(vector.name)")
        }
    }
}
