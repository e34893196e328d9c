internal import HTTPClient
internal import JSON
internal import Simulators

struct BotStory {
    /// The owner of the app and the model.
    static let customer = "user-1"
    static let victim = "user-2"
    static let order = "1002"
    static let otherOrder = "1003"
    static let victimOrder = "2001"
    private static let promptLimit = 4027

    let caller: BotDemoCaller
    let shop: SampleShop
    let client: Client
    let say: (String) -> Void
    private(set) var surprises: [String] = []
    /// Whether the model was told to get the customer's confirmation, as expected.
    private(set) var wasAskedToConfirm = false

    init(_ caller: BotDemoCaller, shop: SampleShop, client: Client, say: @escaping (String) -> Void) {
        (self.caller, self.shop, self.client, self.say) = (caller, shop, client, say)
    }

    struct Start {
        let key: String
        let data: String
        let ticket: String
        let model: SimulatedModel
    }

    mutating func play() throws(DemoFailure) {
        let start = try begin()
        try talk(start)
        let spent = try cancel(start)
        try callDirectly(start)
        try attack(start, spent)
        try audit()
    }

    mutating func check(_ isExpected: Bool, _ surprise: String) {
        guard !isExpected else { return }
        surprises.append(surprise)
        say("  NOT AS EXPECTED: \(surprise)")
    }

    func tell(_ who: String, _ text: String) {
        let lines = text.split(separator: "\n")
        for (number, line) in lines.enumerated() {
            let name = number == 0 ? who : ""
            say("  " + name + String(repeating: " ", count: max(1, 10 - name.count)) + line)
        }
    }

    private mutating func begin() throws(DemoFailure) -> Start {
        say("1. The customer's app starts the bot, with the security key that its backend has made for \(Self.customer).\n")
        let key = try caller.mint(Self.customer)
        let answer = try caller.ask("start", user: Self.customer, key: key)
        guard answer.status == 200, let data = answer.body["ai_attrs"]?.text, let ticket = answer.body["ticket"]?.text else {
            throw DemoFailure("the bot does not start: \(answer.status) \(answer.body["message"]?.text ?? "")")
        }
        let model = try explained { () throws(SimulatedModel.Failure) in try SimulatedModel(data: data, client: client) }
        tell("app", "POST /bots/\(BotDemoFiles.bot)/start")
        tell("deskgate", "200: \(model.functions.map(\.name).joined(separator: ", ")), in \(data.utf8.count) bytes for the vendor")
        check(data.utf8.count <= Self.promptLimit, "the prompt is longer than \(Self.promptLimit) bytes")
        check(model.functions.count == 4 && answer.body["tools"]?.elements.count == 4, "the bot does not have four functions")
        check(answer.body["first_message_data"]?.text?.contains("options") == true, "there are no quick replies")
        let stranger = try caller.ask("start", user: Self.victim, key: key)
        tell("app", "the same for \(Self.victim), with the key of \(Self.customer)")
        tell("deskgate", "\(stranger.status)")
        check(stranger.status == 403, "a key starts the bot for another user")
        return Start(key: key, data: data, ticket: ticket, model: model)
    }

    private mutating func talk(_ start: Start) throws(DemoFailure) {
        say("\n2. The vendor's model talks with the customer. It calls Deskgate, which calls the shop.\n")
        for line in ModelScript.shop.lines where line.call.function != "cancel_order" {
            let answer = try ask(start, line)
            check(answer.statusCode == 200, "\(line.call.function) was answered \(answer.statusCode)")
        }
        check(
            shop.records.count == 3 && shop.records.allSatisfy { $0.customerID == Self.customer && $0.status == 200 },
            "the shop was not called once for each function, for \(Self.customer)")
    }

    private mutating func cancel(_ start: Start) throws(DemoFailure) -> String {
        say("\n3. The customer wants to cancel. The model cannot do that alone: the app asks the customer, and confirms with its key.\n")
        let (before, calls) = (shop.shopData, shop.records.count)
        guard let line = ModelScript.shop.lines.last else { return "" }
        let asked = try ask(start, line)
        let confirmation = asked.text("confirmation") ?? ""
        wasAskedToConfirm = asked.statusCode == 409 && asked.text("error") == "confirmation_required"
        check(wasAskedToConfirm, "the model cancelled without a confirmation")
        check(shop.shopData == before && shop.records.count == calls, "the shop was called before the customer confirmed")
        let arguments = asked.response["arguments"].map { String(decoding: $0.serialized(), as: UTF8.self) } ?? "{}"
        tell("app", "shows: \(asked.text("function") ?? "?") \(arguments)?  The customer taps Yes.")
        let first = try confirm(start, confirmation)
        check(status(of: Self.order) == "cancelled", "order \(Self.order) was not cancelled")
        check(FunctionResponse(first)?.statusCode == 200, "the confirmation was answered \(first.status)")
        tell("app", "confirms once more, as after a lost answer")
        _ = try confirm(start, confirmation)
        check(shop.records.filter { $0.request == "POST /cancellations" }.count == 1, "the shop was called to cancel more than once")
        return confirmation
    }

    private func confirm(_ start: Start, _ confirmation: String) throws(DemoFailure) -> DemoRequests.Answer {
        let answer = try caller.ask("confirm", user: Self.customer, key: start.key, more: [("confirmation", .string(confirmation))])
        tell("app", "POST /bots/\(BotDemoFiles.bot)/confirm, with the security key")
        let words = FunctionResponse(answer).map { "\($0.statusCode): \(ModelScript.words(for: $0))" } ?? answer.body["message"]?.text
        tell("deskgate", "\(answer.status)" + (words.map { ", \($0)" } ?? ""))
        return answer
    }

    private mutating func callDirectly(_ start: Start) throws(DemoFailure) {
        say("\n4. A company with a model of its own gives it `tools`, and passes on the model's calls.\n")
        let arguments = #"{"order_id":"\#(Self.order)"}"#
        tell("model", #"{"name":"get_order_details","arguments":\#(arguments)}"#)
        let answer = try caller.call(start.ticket, function: "get_order_details", arguments: arguments)
        let called = FunctionResponse(answer)
        tell("deskgate", "\(answer.status), \(called.map { ModelScript.words(for: $0) } ?? "")")
        check(called?.response["status"]?.text == "cancelled", "the direct call does not show the cancelled order")
        let text = #"It is cancelled. Anything else? JSON^{"options":["My orders","No"]}^NSOJ"#
        tell("model", text)
        let reply = try caller.reply(start.ticket, text)
        let options = (reply.body["options"]?.elements ?? []).compactMap(\.text)
        tell("deskgate", "\(reply.status), \(reply.body["text"]?.text ?? "")  Quick replies: \(options.joined(separator: ", "))")
        check(options == ["My orders", "No"], "the quick replies were not taken out of the text")
    }

    /// A line of the script, from the question to the model's answer.
    private func ask(_ start: Start, _ line: ModelScript.Line) throws(DemoFailure) -> FunctionResponse {
        let calls = shop.records.count
        let answer = try explained { () throws(SimulatedModel.Failure) in try start.model.ask(line.call) }
        let arguments = String(decoding: JSONValue.object(line.call.arguments).serialized(), as: UTF8.self)
        let method = line.call.form == .query ? "GET" : "POST"
        tell("customer", line.question)
        tell("model", "\(method) /bots/\(BotDemoFiles.bot)/functions/\(line.call.function) \(arguments)")
        for record in shop.records.dropFirst(calls) {
            tell("shop", "\(record.request) for \(record.customerID ?? "nobody"): \(record.status)")
        }
        tell("deskgate", "\(answer.statusCode)" + (answer.text("error").map { " \($0)" } ?? ""))
        tell("bot", ModelScript.words(for: answer))
        return answer
    }

    func status(of order: String) -> String? { shop.shopData.orders.first { $0.id == order }?.status }

    func explained<Result>(_ work: () throws(SimulatedModel.Failure) -> Result) throws(DemoFailure) -> Result {
        do throws(SimulatedModel.Failure) {
            return try work()
        } catch {
            throw DemoFailure("\(error)")
        }
    }
}
