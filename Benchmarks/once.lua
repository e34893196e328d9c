-- Sends each body of a file once, and stops the run when there are none left. One thread only.

dofile("report.lua")

local headers = { ["Content-Type"] = "application/json" }
local bodies

function init(arguments)
   bodies = io.lines(arguments[1])
end

function request()
   return wrk.format("POST", nil, headers, bodies() or error("there are fewer bodies than requests"))
end
