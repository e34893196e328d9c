-- Cycles through prebuilt requests, so that a request costs wrk one table lookup.

dofile("report.lua")

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
