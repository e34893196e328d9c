package import JSON
package import JSONSchema

/// A value of the ticket that fills a parameter instead of the model.
package enum BotBinding: String, Sendable, CaseIterable {
    case userID = "user_id"
    case appID = "app_id"
}

/// The party that must confirm a call that changes something.
package enum BotConfirmation: String, Sendable, CaseIterable {
    /// The user confirms in the customer's app, with a security key.
    case user
    /// The model confirms with a second call, so it may confirm its own call.
    case model
    case none
}

package struct BotFunction: Sendable {
    /// 1 to 64 letters, digits, `-` or `_`.
    package let name: String
    package let description: String
    /// Validates the model's arguments: an object without the bound parameters that rejects unknown names.
    package let parameters: JSONSchema
    /// The schema that the model sees: the configured one without the bound parameters.
    package let modelParameters: JSONValue
    /// Parameters that the ticket fills, in the order of the configuration.
    package let bindings: [(parameter: String, binding: BotBinding)]
    package let action: BotAction
    /// `.none` when the function changes nothing.
    package let confirmation: BotConfirmation
    /// Limits per user; all have the scope `user`.
    package let limits: [LimitRule]

    package init(
        name: String, description: String, parameters: JSONSchema, modelParameters: JSONValue,
        bindings: [(parameter: String, binding: BotBinding)], action: BotAction, confirmation: BotConfirmation, limits: [LimitRule]
    ) {
        (self.name, self.description, self.parameters, self.modelParameters) = (name, description, parameters, modelParameters)
        (self.bindings, self.action, self.confirmation, self.limits) = (bindings, action, confirmation, limits)
    }

    /// Whether a call may change something: it makes no request, or one whose method is not GET.
    package var changesSomething: Bool { request?.method != .get }

    /// The maximum size of confirmed arguments in bytes of JSON, limited because a confirmation contains them.
    package static var longestConfirmedArguments: Int { 16 << 10 }
}
