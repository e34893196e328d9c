-- Reports a run of wrk as one line of JSON.

function done(summary, latency)
   local errors = summary.errors
   io.write(string.format(
      '\n{"requests": %d, "microseconds": %d, "p50": %d, "p99": %d, "longest": %d, "refused": %d, "broken": %d}\n',
      summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max, errors.status,
      errors.connect + errors.read + errors.write + errors.timeout))
end
