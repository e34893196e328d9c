import Testing

@testable import AdminAPI

/// The mistakes in operators' requests: those who send requests and those who type commands know parameters by different names.
@Suite struct AdminProblemTests {
    private let problem = AdminProblem("key_id", "goes with neither \(field: "user_id") nor \(field: "security_key"), \(7) times.")

    @Test func `a request's mistake has the names of the request`() {
        #expect(problem.message == "key_id: goes with neither user_id nor security_key, 7 times.")
    }

    @Test func `the sentence has the names of its reader`() {
        #expect(problem.text { "<\($0)>" } == "goes with neither <user_id> nor <security_key>, 7 times.")
    }

    @Test func `a mistake of the whole request names nothing else`() {
        #expect(AdminProblem(nil, "The query is not UTF-8.").message == "The query is not UTF-8.")
    }
}
