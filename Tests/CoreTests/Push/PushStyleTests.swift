import Core
import Testing

@Suite struct PushStyleTests {
    private func shown(
        _ comment: Comment, content: PushContent = .full, templates: PushTemplates = .russian
    ) throws -> [String] {
        let notification = try PushStyle(content: content, templates: templates).notification(for: comment)
        return [notification.title, notification.body]
    }

    @Test func `the setting content decides about the shown text`() throws {
        let comment = Comment.sample(text: "Ваш заказ готов", files: ["a.png"])
        #expect(try shown(comment, content: .full) == ["Анна", "Ваш заказ готов"])
        #expect(try shown(comment, content: .author) == ["Анна", "Новое сообщение"])
        #expect(try shown(comment, content: .private) == ["Поддержка", "Новое сообщение"])
        #expect(try shown(comment, content: .private, templates: .english) == ["Support", "New message"])
    }

    @Test(arguments: [(PushContent.full, true), (.author, true), (.private, false)])
    func `the avatar is shown only with the author`(content: PushContent, isShown: Bool) throws {
        let avatar = "https://example.com/avatars/17"
        let notification = try PushStyle(content: content).notification(for: .sample(avatar: avatar))
        #expect(notification.avatarURL == (isShown ? avatar : nil))
    }

    @Test(arguments: [
        (1, "1 файл: ", "1 file: "), (2, "2 файла: ", "2 files: "), (5, "5 файлов: ", "5 files: "), (11, "11 файлов: ", "11 files: "),
        (21, "21 файл: ", "21 files: "), (24, "24 файла: ", "24 files: "), (112, "112 файлов: ", "112 files: "),
    ])
    func `the number of files is shown`(count: Int, russian: String, english: String) throws {
        let names = (1...count).map { "\($0).png" }
        let comment = Comment.sample(files: names)
        #expect(try shown(comment)[1] == russian + names.joined(separator: ", "))
        #expect(try shown(comment, content: .full, templates: .english)[1] == english + names.joined(separator: ", "))
    }

    @Test(arguments: [
        (["a.png", "b.pdf"], "2 files: a.png, b.pdf"), (["a.png", nil], "2 files: a.png"), ([nil, ""], "New message"), ([], "New message"),
        (["in\u{202E}gpj.exe\n"], "1 file: ingpj.exe"),
    ])
    func `the names of files are shown`(names: [String?], body: String) throws {
        #expect(try shown(.sample(text: " \n", files: names), content: .full, templates: .english)[1] == body)
    }

    @Test(arguments: [nil, "", " \u{200B}\n", "\u{0}"] as [String?])
    func `an author is optional`(name: String?) throws {
        #expect(try shown(.sample(author: name, text: "a")) == ["Поддержка", "a"])
        #expect(try shown(.sample(author: name), content: .author) == ["Поддержка", "Новое сообщение"])
    }

    @Test func `every placeholder is replaced`() throws {
        let templates = try PushTemplates(
            language: "ru",
            texts: [.title: "{author} пишет", .text: "{author}: {text}", .filesFew: "{author}: {count} шт. ({files})"])
        #expect(try shown(.sample(text: "{count}"), content: .full, templates: templates) == ["Анна пишет", "Анна: {count}"])
        #expect(try shown(.sample(files: ["a", "b"]), content: .full, templates: templates)[1] == "Анна: 2 шт. (a, b)")
        #expect(try shown(.sample(author: nil, text: "x"), content: .full, templates: templates) == ["Поддержка", "Поддержка: x"])
    }

    @Test func `missing forms fall back`() throws {
        let texts: [PushTemplatePart: String] = [.filesOther: "{count} fichiers", .neutralTitle: "Aide", .neutralBody: "Message"]
        #expect(try shown(.sample(files: ["a"]), content: .full, templates: PushTemplates(language: "fr", texts: texts))[1] == "1 fichiers")
    }

    @Test func `titles are one short line`() throws {
        let long = String(repeating: "👨‍👩‍👧‍👦", count: 1000)
        let title = try shown(.sample(author: "Анна\n\tСмирнова \(long)", text: "a"))[0]
        #expect(title.hasPrefix("Анна Смирнова 👨‍👩‍👧‍👦"))
        #expect(title.hasSuffix("👨‍👩‍👧‍👦…"))
        #expect((PushStyle.longestTitleBytes - 25...PushStyle.longestTitleBytes).contains(title.utf8.count))
    }

    @Test func `a private push reveals no message text`() throws {
        let notification = try PushStyle(content: .private, templates: .russian).notification(
            for: .sample(author: "SECRET", avatar: "https://SECRET/", text: "SECRET", files: ["SECRET"]))
        #expect(!"\(notification)".contains("SECRET"))
    }

    @Test func `unknown placeholders are rejected`() throws {
        for name in ["", "a b", "é", "a\u{0}", String(repeating: "a", count: 65)] {
            #expect(throws: PushStyle.Problem.sound) { try PushStyle(sound: name) }
            #expect(throws: PushStyle.Problem.androidChannel) { try PushStyle(androidChannel: name) }
        }
        for badge in [-1, 100_000] { #expect(throws: PushStyle.Problem.badge) { try PushStyle(badge: badge) } }
        let style = try PushStyle(sound: "ding.caf", badge: 0, androidChannel: String(repeating: "a", count: 64))
        let notification = style.notification(for: .sample())
        #expect(notification.sound == "ding.caf")
        #expect(notification.badge == 0)
        #expect(notification.androidChannel?.count == 64)
    }
}
