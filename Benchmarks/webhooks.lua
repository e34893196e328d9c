-- Webhooks of comments that nobody has sent before: arguments are the app and the first comment's id. One thread only.

dofile("report.lua")

local TICKETS = 5000
local headers = { ["Content-Type"] = "application/json" }
local app, comment

function init(arguments)
   app, comment = arguments[1], tonumber(arguments[2])
end

function request()
   comment = comment + 1
   local person = comment % TICKETS
   return wrk.format("POST", nil, headers, string.format(
      '{"ticket_id":%d,"token":{"user_id":"user-%d","app_id":"%s","device_id":"device-%d","type":"ios"},' ..
      '"comment":{"comment_id":%.0f,"body":"Good afternoon! Your order has been sent and arrives on Thursday.","is_inbound":false},' ..
      '"author":{"name":"Anna","avatar_id":5,"avatar_color":"#ff0000"},"created_at":"2026-03-10T08:15:12Z","attachments":[]}',
      1000 + person, person, app, person, comment))
end
