import Core
import Testing

@Suite struct VerdictTests {
    @Test(
        arguments: zip(
            ValidationError.Problem.allCases,
            ["missing", "null", "not_a_string", "duplicate", "empty", "too_long", "control_character", "not_a_security_key"]))
    func `validation errors have their reasons`(problem: ValidationError.Problem, reason: String) {
        let verdict = Verdict.malformed(ValidationError(.userID, problem))
        #expect(verdict.reason == reason)
        #expect(verdict.status == 400)
        #expect(verdict.keyID == nil)
    }

    @Test(
        arguments: zip(
            Denial.allCases,
            [
                "unknown_app", "unknown_key", "wrong_mac", "issued_in_future", "expired", "too_old", "key_retired", "revoked",
                "backend_denied", "backend_undecided",
            ]))
    func `denials have their reasons`(denial: Denial, reason: String) {
        let verdict = Verdict.denied(denial, keyID: 7)
        #expect(verdict.reason == reason)
        #expect(verdict.status == 403)
        #expect(verdict.keyID == 7)
    }

    @Test(arguments: Denial.allCases) func `a shadowed denial is 200 with its reason`(denial: Denial) {
        let verdict = Verdict.shadowed(denial, keyID: 7)
        #expect(verdict.reason == denial.rawValue)
        #expect(verdict.status == 200)
        #expect(verdict.keyID == 7)
    }

    @Test func `no case is missing`() {
        #expect(ValidationError.Problem.allCases.count == 8)
        #expect(Denial.allCases.count == 10)
        #expect(UndecidedReason.allCases.count == 8)
        #expect(CredentialField.allCases.map(\.name) == ["app_id", "user_id", "security_key"])
    }

    @Test func `an authorized verdict allows the request`() {
        let verdict = Verdict.authorized(keyID: 0)
        #expect(verdict.reason == "valid")
        #expect(verdict.status == 200)
        #expect(verdict.keyID == 0)
    }

    @Test func `authorized without the backend has its own reason`() {
        let verdict = Verdict.authorized(keyID: 3, isConfirmed: false)
        #expect(verdict.reason == "backend_undecided")
        #expect(verdict.status == 200)
        #expect(verdict.keyID == 3)
    }

    @Test(
        arguments: zip(
            UndecidedReason.allCases,
            [
                "internal_error", "revocations_not_loaded", "backend_timeout", "backend_unreachable", "backend_status",
                "backend_breaker_open", "backend_new_keys_paced", "backend_overloaded",
            ]))
    func `a backend failure is never a denial`(undecided: UndecidedReason, reason: String) {
        let verdict = Verdict.undecided(undecided)
        #expect(verdict.reason == reason)
        #expect(verdict.status == 503)
        #expect(verdict.keyID == nil)
    }

    @Test func `unconfirmed allows no request`() {
        let verdict = Verdict.unconfirmed(keyID: 3)
        #expect(verdict.reason == "unconfirmed")
        #expect(verdict.status == 503)
        #expect(verdict.keyID == 3)
    }

    @Test(
        arguments: [
            (.missing, "user_id is missing; expected a string of 1 to 100 UTF-16 code units."),
            (.null, "user_id is null; expected a string of 1 to 100 UTF-16 code units."),
            (.notAString, "user_id is not a string; expected a string of 1 to 100 UTF-16 code units."),
            (.duplicate, "user_id is given twice; expected a single value."),
            (.empty, "user_id is empty; expected a string of 1 to 100 UTF-16 code units."),
            (.tooLong, "user_id is too long; expected a string of 1 to 100 UTF-16 code units."),
            (.controlCharacter, "user_id holds a control character; expected a string of 1 to 100 UTF-16 code units."),
            (.notASecurityKey, "user_id is not a security key; expected a string of 1 to 100 UTF-16 code units."),
        ] as [(ValidationError.Problem, String)])
    func `sentences contain the problem`(problem: ValidationError.Problem, sentence: String) {
        #expect(ValidationError(.userID, problem).description == sentence)
    }

    @Test func `sentences contain each field's format`() {
        #expect(ValidationError(.appID, .tooLong).description == "app_id is too long; expected a string of 1 to 255 UTF-16 code units.")
        #expect(
            ValidationError(.securityKey, .notASecurityKey).description
                == "security_key is not a security key; expected dgk1. and 84 base64url characters.")
    }
}
