-- Calls of a bot's function, or the same requests to the backend itself: arguments are the kind of call, the tickets (empty for the backend)
-- and the first order's number. One thread only. A changing call has an order's number of its own, since a repeated one is not made again.

dofile("report.lua")

local changes, headers, path, number, calls, tickets = false, { ["Content-Type"] = "application/json" }, nil, 0, 0, {}

function init(arguments)
   changes, number = arguments[1] == "change", tonumber(arguments[3])
   for ticket in arguments[2]:gmatch("[^,]+") do tickets[#tickets + 1] = "Bearer " .. ticket end
   if #tickets > 0 then
      path = "/bots/bench/functions/" .. arguments[1]
   end
end

function request()
   if changes then number = number + 1 end
   local order = ("%.0f"):format(number)
   if path then
      calls = calls + 1
      headers["Authorization"] = tickets[calls % #tickets + 1]
      return wrk.format("POST", path, headers, '{"order_id":"' .. order .. '"}')
   end
   if changes then return wrk.format("POST", "/orders", headers, '{"order_id":"' .. order .. '","customer_id":"customer-1"}') end
   return wrk.format("GET", "/orders/" .. order .. "?customer_id=customer-1", headers)
end
