-- Calls of a bot's function, or the same requests to the backend itself: arguments are the kind of call, the ticket (empty for the backend)
-- and the first order's number. One thread only. A changing call has an order's number of its own, since a repeated one is not made again.

dofile("report.lua")

local changes, headers, path, number = false, { ["Content-Type"] = "application/json" }, nil, 0

function init(arguments)
   changes, number = arguments[1] == "change", tonumber(arguments[3])
   if arguments[2] ~= "" then
      headers["Authorization"] = "Bearer " .. arguments[2]
      path = "/bots/bench/functions/" .. arguments[1]
   end
end

function request()
   if changes then number = number + 1 end
   local order = ("%.0f"):format(number)
   if path then return wrk.format("POST", path, headers, '{"order_id":"' .. order .. '"}') end
   if changes then return wrk.format("POST", "/orders", headers, '{"order_id":"' .. order .. '","customer_id":"customer-1"}') end
   return wrk.format("GET", "/orders/" .. order .. "?customer_id=customer-1", headers)
end
