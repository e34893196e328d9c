package import HTTPServer

/// The answers to callers whose security key does not authorize them, the same wherever one is asked for; made once.
package struct AuthorizeRefusals: Sendable {
    /// Makes the answers.
    package init() {}

    /// 403, whatever the reason.
    package let denied = Response.error(403, "denied", "This user may not use the chat.")
    /// 503: a failure of our own, which must never look like a denial.
    package let undecided = Response.error(
        503, "undecided", "The request could not be decided; try again.", headers: [("Retry-After", "1")])
}
