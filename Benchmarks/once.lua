-- Sends each line of a file once, and stops the run when there are none left. One thread only. A line is a body; with the name of a header as
-- the second argument it is the header's value, a tabulator and the body.

dofile("report.lua")

local headers = { ["Content-Type"] = "application/json" }
local lines, signed

function init(arguments)
   lines, signed = io.lines(arguments[1]), arguments[2]
end

function request()
   local body = lines() or error("there are fewer bodies than requests")
   if signed then
      local tab = body:find("\t", 1, true)
      headers[signed], body = body:sub(1, tab - 1), body:sub(tab + 1)
   end
   return wrk.format("POST", nil, headers, body)
end
