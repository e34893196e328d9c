# frozen_string_literal: true

# Asks clients/deskgate.rb what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line.

require "json"
require "stringio"
require_relative "deskgate"

Request = Struct.new(:env, :body)

def bytes(field)
  [field].pack("H*")
end

def text(field)
  bytes(field).force_encoding("UTF-8")
end

def pairs(fields)
  fields.to_h { |field| field.split(":", -1).map { |part| text(part) } }
end

def example(request)
  secret = File.read("secrets/app-1.key")
  security_key = Deskgate.mint_security_key("my-app", "user-1", 1, secret) # for the signed-in user
  Deskgate.verify_security_key("my-app", "user-1", security_key, { 1 => secret }) # in a test of yours
  signing_secret = File.read("secrets/backend.key")
  Deskgate.verify_event(request.env, request.body.read, [signing_secret]) # raises Deskgate::Error: answer 401
  security_key
end

def of_sendbird(request)
  secret = File.read("secrets/sendbird-1.key")
  signing_secret = File.read("secrets/backend.key")
  security_key = Deskgate.mint_security_key("sendbird-app", "user-1", 1, secret) # for POST /sendbird/session-token
  body = request.body.read
  Deskgate.verify_event(request.env, body, [signing_secret]) # raises Deskgate::Error: answer 401
  event = JSON.parse(body)
  score = event["type"] == "ticket.rated" ? event["data"]["score"] : nil
  "#{security_key} #{score}"
end

def mint(app, user, key_id, secret, lifetime, now, salt)
  own = now == "-" ? {} : { now: now.to_i, salt: bytes(salt) }
  Deskgate.mint_security_key(text(app), text(user), key_id.to_i, text(secret), lifetime: lifetime.to_i, **own)
end

def read_event(body)
  event = JSON.parse(body)
  "#{event["type"]} #{event["data"]["ticket_id"]}"
end

def answer(command, fields)
  case command
  when "mint"
    mint(*fields)
  when "verify"
    app, user, key, now, *secrets = fields
    Deskgate.verify_security_key(text(app), text(user), text(key), pairs(secrets).transform_keys(&:to_i), now: now.to_i)
    "valid"
  when "event", "read"
    now, body, secrets, *headers = fields
    Deskgate.verify_event(pairs(headers), text(body), secrets.split(",").map { |secret| text(secret) }, now: now.to_i)
    command == "event" ? "genuine" : read_event(text(body))
  when "not-unicode"
    Deskgate.mint_security_key("app", "\xff", 1, "A" * 43)
  when "half-second"
    Deskgate.mint_security_key("app", "user", 1, "A" * 43, lifetime: 0.5)
  when "number"
    Deskgate.mint_security_key("app", 42, 1, "A" * 43)
  else
    body, *headers = fields
    env = pairs(headers).transform_keys { |name| "HTTP_#{name.upcase.tr("-", "_")}" }
    request = Request.new(env.merge("rack.input" => nil), StringIO.new(bytes(body)))
    command == "sendbird" ? of_sendbird(request) : example(request)
  end
end

$stdout.sync = true
while (line = $stdin.gets)
  command, *fields = line.chomp.split("\t", -1)
  begin
    puts answer(command, fields)
  rescue Deskgate::Error => error
    puts error.reason
  end
end
