/// What is wrong with a question about deliveries, for the caller; never a value.
package struct DeliveryMistake: Error, Equatable {
    /// One sentence for a person, which begins with the criterion's name.
    package let message: String
}
