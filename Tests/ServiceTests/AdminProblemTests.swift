import Testing

@testable import AdminAPI

/// The mistakes in operators' requests. Parameters have different names in the API and on the command line.
@Suite struct AdminProblemTests {
    private let problem = AdminProblem("key_id", "goes with neither \(field: "user_id") nor \(field: "security_key"), \(7) times.")

    @Test func `a mistake in a request has the API's names`() {
        #expect(problem.message == "key_id: goes with neither user_id nor security_key, 7 times.")
    }

    @Test func `the sentence has the names of its reader`() {
        #expect(problem.text { "<\($0)>" } == "goes with neither <user_id> nor <security_key>, 7 times.")
    }

    @Test func `a mistake in the whole request names no parameter`() {
        #expect(AdminProblem(nil, "The query is not UTF-8.").message == "The query is not UTF-8.")
    }
}
