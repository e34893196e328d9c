/// What is wrong with an operator's question, for the caller; never a value.
package struct AdminMistake: Error, Equatable {
    /// One sentence for a person, which begins with the criterion's name.
    package let message: String
}
