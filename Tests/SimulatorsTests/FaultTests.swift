import HTTPClient
import JSON
import Simulators
import TestSupport
import Testing
import Time

@Suite struct FaultTests {
    private func push(
        _ fixture: SimulatorFixture, token: String = "device-1", timeoutMilliseconds: Int = Int(WaitLimit.milliseconds)
    ) throws -> Result<ClientResponse, ClientError> {
        let bearer = [(name: "authorization", value: "Bearer \(fixture.simulators.credentials.rustoreToken)")]
        let body = #"{"message":{"token":"\#(token)","notification":{"body":"Hello"}}}"#
        return try fixture.post(
            .rustore, "/v1/projects/simulated-project/messages:send", headers: bearer, body: body, timeoutMilliseconds: timeoutMilliseconds)
    }

    // One push for each status. Not in a macro, because the compiler must see that a closure throws.
    private func expect(
        _ fixture: SimulatorFixture, _ statuses: [Int], token: String = "device-1", at location: SourceLocation = #_sourceLocation
    ) throws {
        let found = try statuses.map { _ in try push(fixture, token: token).get().status }
        #expect(found == statuses, sourceLocation: location)
    }

    private func read(_ fault: String, into script: FaultScript) throws {
        try FaultReader.read(fault: Array(fault.utf8), into: script)
    }

    @Test func `happens the given number of times`() throws {
        try SimulatorFixture.run { fixture in
            try read(
                #"{"provider":"rustore","after":2,"times":3,"answer":{"status":503,"reason":"UNAVAILABLE","retry_after":2}}"#,
                into: fixture.simulators.faults)
            try expect(fixture, [200, 200])
            let response = try push(fixture).get()
            #expect(response.status == 503)
            #expect(response.header("retry-after") == "2")
            try expect(fixture, [503, 503, 200])
            #expect(fixture.simulators.faults.remaining == 0)
            #expect(fixture.simulators.recorder.count == 3)
        }
    }

    @Test func `happens to the given device`() throws {
        try SimulatorFixture.run { fixture in
            try read(#"{"match":{"token":"device-2"},"times":null,"answer":{"status":429}}"#, into: fixture.simulators.faults)
            try expect(fixture, [200])
            try expect(fixture, [429, 429, 429], token: "device-2")
            #expect(fixture.simulators.faults.remaining == 1)
            fixture.simulators.faults.removeAll()
            try expect(fixture, [200], token: "device-2")
        }
    }

    @Test func `happens at the given provider`() throws {
        try SimulatorFixture.run { fixture in
            fixture.simulators.faults.add(Fault(.answer(.init(500)), at: .fcm), Fault(.answer(.init(500)), endpoint: .token))
            try expect(fixture, [200])
            #expect(fixture.simulators.faults.remaining == 2)
        }
    }

    @Test(arguments: [
        #"{"reset":"stream"}"#, #"{"reset":"connection"}"#, #"{"close":true}"#, #"{"garbage":true}"#,
        #"{"goaway":"abrupt","reason":"Shutdown"}"#, #"{"stall":"stream"}"#, #"{"stall":"connection"}"#,
    ])
    func `ends a request without a response`(_ fault: String) throws {
        try SimulatorFixture.run { fixture in
            try expect(fixture, [200])
            try read(fault, into: fixture.simulators.faults)
            let patience = fault.contains("stall") ? 500 : Int(WaitLimit.milliseconds)
            repeat {
                let result = try push(fixture, timeoutMilliseconds: patience)
                // libcurl retries by itself after some of these.
                if case .success(let response) = result { #expect(response.status == 200) }
                // On a busy machine a push may not reach the server in time. Then the fault is still pending.
            } while fixture.simulators.faults.remaining > 0
            try expect(fixture, [200, 200])
            #expect(fixture.simulators.faults.remaining == 0)
        }
    }

    @Test(arguments: [#"{"goaway":"this"}"#, #"{"goaway":"all"}"#, #"{"delay_ms":20}"#, #"{"max_streams":3}"#])
    func `still sends a response`(_ fault: String) throws {
        try SimulatorFixture.run { fixture in
            try read(fault, into: fixture.simulators.faults)
            try expect(fixture, [200, 200, 200])
            #expect(fixture.simulators.faults.remaining == 0)
            #expect(fixture.simulators[.rustore].connectionCount == (fault.contains("goaway") ? 2 : 1))
        }
    }

    @Test(arguments: ["close", "reset", "garbage"])
    func `makes a handshake fail`(_ kind: String) throws {
        try SimulatorFixture.run { fixture in
            try read(#"{"provider":"rustore","handshake":"\#(kind)"}"#, into: fixture.simulators.faults)
            _ = try push(fixture)
            try expect(fixture, [200, 200])
            #expect(fixture.simulators.faults.remaining == 0)
        }
    }

    @Test func `interrupts open requests`() throws {
        try SimulatorFixture.run { fixture in
            try expect(fixture, [200])
            fixture.simulators[.rustore].interrupt(.goAway(.all, reason: "Shutdown"))
            #expect(eventually { fixture.simulators[.rustore].openConnections == 0 })
            try expect(fixture, [200])
            #expect(fixture.simulators[.rustore].connectionCount == 2)
        }
    }

    @Test func `parses a script`() throws {
        let (script, devices) = (FaultScript(), DeviceRegistry())
        let text = """
            {"faults":[{"stall":"stream"},{"handshake":"slow","delay_ms":10}],
             "devices":[{"token":"a","provider":"apns-sandbox","topic":"t"},{"token":"b","unregistered_at":5}]}
            """
        try FaultReader.read(script: Array(text.utf8), into: script, devices)
        #expect(script.remaining == 2)
        #expect(devices["a"] == SimulatedDevice(provider: .apnsSandbox, topic: "t"))
        #expect(devices["b"] == SimulatedDevice(refusal: .unregistered, unregisteredAt: 5))
    }

    @Test(arguments: [
        ("{", "not JSON: line 1, column 2: the text ends too early"), ("[]", "fault: expected an object"),
        ("{}", "fault: say one of answer, stall, reset, close, garbage, goaway, max_streams, handshake, delay_ms"),
        (#"{"stall":"stream","reset":"stream"}"#, "fault: say only one of stall, reset"),
        (#"{"answer":{"status":99}}"#, "fault.answer: status must be a number from 200 to 599"),
        (#"{"stall":"all"}"#, "fault: stall must be one of stream, connection"), (#"{"close":1}"#, "fault: close must be true"),
        (#"{"delay_ms":-1}"#, "fault: delay_ms must be a whole number that is not negative"),
        (#"{"delay_ms":1,"times":0}"#, "fault: times must be 1 or more, or null for no limit"),
        (#"{"delay_ms":1,"match":{"topic":"t"}}"#, "fault.match: unknown key topic; known are token"),
    ])
    func `reports mistakes in a script`(_ fault: String, _ expected: String) throws {
        let error = #expect(throws: FaultReader.Problem.self) { try read(fault, into: FaultScript()) }
        #expect(error?.description == expected)
    }
}
