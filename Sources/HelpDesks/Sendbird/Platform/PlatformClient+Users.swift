internal import HTTPClient
internal import JSON

extension PlatformClient {
    /// Sendbird's code for a user that exists already: "ResourceAlreadyExists".
    private static let userExists = "400202"

    /// Creates a user of Sendbird Chat. An existing user is a success, because another request may have created it.
    ///
    /// Source: Sendbird, Chat Platform API v3, "Create a user".
    /// - Parameter completion: called exactly once; nil when the user exists now.
    package func createUser(_ userID: String, _ completion: @escaping @Sendable (PlatformError?) -> Void) {
        // Nickname and picture are required, and may be empty: the id is nobody's name.
        let body: JSONValue = ["user_id": .string(userID), "nickname": "", "profile_url": ""]
        send(PlatformRequest("create_user", method: .post, path: ["users"], body: body)) { answer in
            switch answer {
            case .success: completion(nil)
            case .failure(.invalid(let refusal)) where refusal.code == Self.userExists: completion(nil)
            case .failure(let error): completion(error)
            }
        }
    }
}
