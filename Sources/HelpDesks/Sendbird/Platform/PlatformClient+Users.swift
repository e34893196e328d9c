internal import HTTPClient
internal import JSON

extension PlatformClient {
    /// Sendbird's code for a user that already exists: "ResourceAlreadyExists".
    private static let userExists = "400202"

    /// Creates a user in Sendbird Chat. An existing user is a success, because another request may have created it.
    ///
    /// Source: Sendbird, Chat Platform API v3, "Create a user".
    /// - Parameter completion: called exactly once; nil on success.
    package func createUser(_ userID: String, _ completion: @escaping @Sendable (PlatformError?) -> Void) {
        // Nickname and picture are required, but may be empty. The id is not used as a name.
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
