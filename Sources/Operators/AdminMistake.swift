/// What is wrong with an operator's question, for the caller; never a value.
package struct AdminMistake: Error, Equatable {
    /// The criterion that is meant; nil when it is the question as a whole.
    package let field: String?
    /// What is wrong, in one sentence for a person.
    package let problem: String

    /// The sentence, which begins with the criterion's name.
    package var message: String { field.map { "\($0): \(problem)" } ?? problem }

    init(_ field: String?, _ problem: String) {
        self.field = field
        self.problem = problem
    }
}
