package import JSON
package import JSONSchema

/// The source of a parameter that the model does not fill.
package enum BotBinding: String, Sendable, CaseIterable {
    case userID = "user_id"
    case appID = "app_id"
}

/// The consent that a function needs before it changes something.
package enum BotConfirmation: String, Sendable, CaseIterable {
    /// The user, from the customer's app and with his security key.
    case user
    /// The model, by a second call. It may agree with itself.
    case model
    case none
}

/// A function that a model may call: its name and parameters, and what performs it.
package struct BotFunction: Sendable {
    /// 1 to 64 letters, digits, `-` or `_`.
    package let name: String
    package let description: String
    /// The schema of the model's arguments: an object without the bound parameters and without unknown names.
    package let parameters: JSONSchema
    /// The same schema as the model sees it: the configured one without the bound parameters.
    package let modelParameters: JSONValue
    /// The parameters that the model does not fill, in the order of the configuration.
    package let bindings: [(parameter: String, binding: BotBinding)]
    package let action: BotAction
    /// The consent that it needs; `.none` where it changes nothing.
    package let confirmation: BotConfirmation
    /// The limits of calls by one user; all have the scope `user`.
    package let limits: [LimitRule]

    /// Makes a function of parts that have been checked.
    package init(
        name: String, description: String, parameters: JSONSchema, modelParameters: JSONValue,
        bindings: [(parameter: String, binding: BotBinding)], action: BotAction, confirmation: BotConfirmation, limits: [LimitRule]
    ) {
        (self.name, self.description, self.parameters, self.modelParameters) = (name, description, parameters, modelParameters)
        (self.bindings, self.action, self.confirmation, self.limits) = (bindings, action, confirmation, limits)
    }

    /// Whether a call may change something: it is no request, or one whose method is not GET.
    package var changesSomething: Bool { request?.method != .get }

    /// The longest arguments of a function that changes something, in bytes of JSON, since a confirmation carries them.
    package static var longestConfirmedArguments: Int { 16 << 10 }
}
