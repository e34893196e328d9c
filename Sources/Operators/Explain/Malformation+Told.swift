internal import Core

extension Malformation {
    /// The sentence for a person, in every language.
    var told: Told {
        let fault =
            switch problem {
            case .missing: "нет"
            case .null: "равно null"
            case .notAString: "не строка"
            case .duplicate: "дано дважды"
            case .empty: "пусто"
            case .tooLong: "слишком длинное"
            case .controlCharacter: "содержит управляющий символ"
            case .notASecurityKey: "не ключ безопасности"
            }
        let form =
            switch field {
            case .appID: "строка от 1 до \(FieldGrammar.longestAppID) символов"
            case .userID: "строка от 1 до \(FieldGrammar.longestUserID) символов"
            case .securityKey: "весь текст, который выдал сервер"
            }
        return Told("\(description)", "Поле \(field.name): \(fault); ожидается \(form).")
    }
}
