-- Cycles through prebuilt requests, so that a request costs wrk one table lookup; reports as one line of JSON.

local requests, position = {}, 0

function init(arguments)
   for body in io.lines(arguments[1]) do
      requests[#requests + 1] = wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, body)
   end
end

function request()
   position = position % #requests + 1
   return requests[position]
end

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '\n{"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "refused": %d, "broken": %d}\n',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), errors.status,
      errors.connect + errors.read + errors.write + errors.timeout))
end
