import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing

/// The vendor's part of a bot: its input and its requests.
@Suite struct SimulatedModelTests {
    private static func data(_ url: String) -> String {
        #"{"ai_attrs":{"system_message":"You help.","functions":[{"request":{"headers":{"Authorization":"Bearer dgbt1.x"},"#
            + #""method":"POST","url":"\#(url)/bots/orders/functions/cancel_order"},"name":"cancel_order","#
            + #""description":"Cancels.","parameters":{"type":"object"}}]}}"#
    }

    private func with(_ server: ScriptedServer, _ body: (SimulatedModel) throws -> Void) throws {
        defer { server.stop() }
        let client = try Client()
        defer { client.close() }
        try body(SimulatedModel(data: Self.data(server.url("")), client: client))
    }

    @Test(arguments: SimulatedModel.Form.allCases) func `sends calls in each form`(_ form: SimulatedModel.Form) throws {
        let server = try ScriptedServer(.everyRequest(.respond(200)))
        try with(server) { model in
            #expect(model.systemMessage == "You help.")
            #expect(model.functions.map(\.method) == ["POST"])
            let answer = try model.ask(SimulatedModel.Call("cancel_order", arguments: ["order_id": "1 &é", "count": 2], form: form))
            #expect(answer.statusCode == 200)
            #expect(answer.function == "cancel_order")
            let request = try #require(server.requests.last)
            let encoded = "order_id=1%20%26%C3%A9&count=2"
            let path = "/bots/orders/functions/cancel_order"
            #expect(request.header("authorization") == "Bearer dgbt1.x")
            #expect(request.target == (form == .query ? "\(path)?\(encoded)" : path))
            let body = String(decoding: request.body, as: UTF8.self)
            #expect(body == ["json": #"{"order_id":"1 &é","count":2}"#, "form": encoded, "query": ""]["\(form)"])
        }
    }

    @Test func `wraps responses like the vendor`() {
        let answer = FunctionResponse(
            statusCode: 200, endpoint: "https://d.example.com/f/get_order_list",
            response: [["id": "7", "status": "delivering", "items": ["Lamp"]]])
        #expect(
            answer.data
                == #"{"function_response":{"status_code":200,"endpoint":"https://d.example.com/f/get_order_list","#
                + #""response":[{"id":"7","status":"delivering","items":["Lamp"]}]}}"#)
        #expect(ModelScript.words(for: answer) == "Your orders:\n7 (delivering): Lamp")
    }

    @Test func `rejects an invalid prompt`() throws {
        let client = try Client()
        defer { client.close() }
        for text in ["", "{}", #"{"ai_attrs":{}}"#, #"{"ai_attrs":{"system_message":"x","functions":[{}]}}"#] {
            #expect(throws: SimulatedModel.Failure.self) { _ = try SimulatedModel(data: text, client: client) }
        }
        let model = try SimulatedModel(data: Self.data("http://127.0.0.1:9"), client: client)
        #expect(throws: SimulatedModel.Failure.self) { _ = try model.ask(SimulatedModel.Call("refund")) }
    }
}
