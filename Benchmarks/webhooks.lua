-- Webhooks of comments that nobody has sent before: arguments are the app and the first comment's id, of which the last four digits are 0.
-- One thread only. What does not change is made before, so that a request costs wrk one concatenation: wrk runs on the service's cores.

dofile("report.lua")

local TICKETS = 5000
local heads, tails, digits = {}, {}, {}
local first, sent, leading = 0, 0, nil

function init(arguments)
   local app = arguments[1]
   first = tonumber(arguments[2]) / 10000
   for last = 0, 9999 do digits[last] = ("%04d"):format(last) end
   for number = 0, TICKETS - 1 do
      local comment = ("%.0f"):format(first) .. digits[0]
      local request = wrk.format("POST", nil, { ["Content-Type"] = "application/json" }, string.format(
         '{"ticket_id":%d,"token":{"user_id":"user-%d","app_id":"%s","device_id":"device-%d","type":"ios"},' ..
         '"comment":{"comment_id":%s,"body":"Good afternoon! Your order has been sent and arrives on Thursday.","is_inbound":false},' ..
         '"author":{"name":"Anna","avatar_id":5,"avatar_color":"#ff0000"},"created_at":"2026-03-10T08:15:12Z","attachments":[]}',
         1000 + number, number, app, number, comment))
      local _, finish = request:find('"comment_id":' .. comment, 1, true)
      heads[number], tails[number] = request:sub(1, finish - #comment), request:sub(finish + 1)
   end
end

function request()
   local last, person = sent % 10000, sent % TICKETS
   if last == 0 then leading = ("%.0f"):format(first + sent / 10000) end
   sent = sent + 1
   return heads[person] .. leading .. digits[last] .. tails[person]
end
