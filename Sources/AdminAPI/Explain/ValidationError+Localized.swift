internal import Core

extension ValidationError {
    /// The sentence for a person, in every language.
    var localized: LocalizedText {
        let form =
            switch field {
            case .appID: "строка от 1 до \(FieldGrammar.longestAppID) символов"
            case .userID: "строка от 1 до \(FieldGrammar.longestUserID) символов"
            case .securityKey: "весь текст, который выдал сервер"
            }
        return LocalizedText("\(description)", "Поле \(field.name) \(problem.localized); ожидается \(form).")
    }
}

extension ValidationError.Problem {
    /// The end of a sentence about the field, in every language.
    fileprivate var localized: LocalizedText {
        let russian =
            switch self {
            case .missing: "отсутствует"
            case .null: "равно null"
            case .notAString: "не строка"
            case .duplicate: "дано дважды"
            case .empty: "пусто"
            case .tooLong: "слишком длинное"
            case .controlCharacter: "содержит управляющий символ"
            case .notASecurityKey: "не ключ безопасности"
            }
        return LocalizedText("\(complaint)", "\(russian)")
    }

    /// The cause of malformed requests with such a field, as the end of a sentence.
    var cause: LocalizedText { LocalizedText("a field \(localized)", "поле \(localized)") }

    /// The remedy for requests with such a field, in sentences.
    var remedy: LocalizedText {
        switch self {
        case .notASecurityKey:
            LocalizedText(
                "Check the security_key that the app passes to the chat: it must be exactly the text that the backend minted. ",
                "Посмотрите, что приложение передаёт чату как security_key: это должен быть весь текст, который выдал сервер, и ничего больше. "
            )
                + LocalizedText(
                    "Keys are often cut off, wrapped in quotes, or replaced by a session token.",
                    "Ключи часто обрезают, заключают в кавычки или путают с токеном сеанса.")
        case .missing, .null, .notAString, .duplicate, .empty, .tooLong, .controlCharacter:
            LocalizedText(
                "The log's lines \"authorize result=malformed\" name the field: check the value that the app passes to the chat.",
                "Поле названо в строках журнала «authorize result=malformed»: посмотрите, что приложение передаёт чату в этом поле.")
        }
    }

    /// The cause of requests whose body cannot be read, as the end of a sentence.
    static let causeOfBody = LocalizedText("the body is not as documented", "тело не соответствует документации")

    /// The remedy for requests whose body cannot be read, in sentences.
    static let remedyOfBody = LocalizedText(
        "Find out which program calls the authorization URL, and check that no proxy changes the body of its requests.",
        "Посмотрите, кто обращается по адресу проверки доступа и не меняет ли прокси тело этих запросов.")
}
