# frozen_string_literal: true

require "openssl"
require "securerandom"

# Deskgate for a backend in Ruby: mints and verifies security keys, and verifies signed events.
#
# Copy this file; it needs Ruby 2.7 and no gem. Deskgate::Error#reason is a word of the table in clients/README.md.
#
#     secret = File.read("secrets/app-1.key")
#     security_key = Deskgate.mint_security_key("my-app", "user-1", 1, secret) # for the signed-in user
#     Deskgate.verify_security_key("my-app", "user-1", security_key, { 1 => secret }) # in a test of yours
#     signing_secret = File.read("secrets/backend.key")
#     Deskgate.verify_event(request.env, request.body.read, [signing_secret]) # raises Deskgate::Error: answer 401
module Deskgate
  # How far the clocks of backend and service may differ, in seconds, as the service has it by default.
  CLOCK_SKEW = 60

  # Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given.
  class Error < StandardError
    attr_reader :reason

    def initialize(reason, message)
      super("#{reason}: #{message}")
      @reason = reason
    end
  end

  module_function

  # Makes a security key of 89 characters.
  #
  # The secret is what `deskgate secret new` prints, and key_id its number in the service's configuration. The lifetime is in seconds; 0
  # never ends. Give now (Unix seconds) and salt (16 bytes) only in tests: each key needs a random salt of its own.
  def mint_security_key(app_id, user_id, key_id, secret, lifetime: 7 * 86_400, now: Time.now.to_i, salt: SecureRandom.bytes(16))
    app = Check.text("app_id", app_id, 255)
    user = Check.text("user_id", user_id, 100)
    raise Error.new("bad_argument", "key_id, lifetime and now are Integers") unless [key_id, lifetime, now].all?(Integer)
    raise Error.new("bad_argument", "key_id is from 0 to 4294967295") unless (0...2**32).cover?(key_id)
    if lifetime.negative? || now.negative? || now + lifetime >= 2**40
      raise Error.new("bad_argument", "lifetime is at least 0 seconds, and the key ends before 2^40")
    end
    raise Error.new("bad_argument", "salt is 16 bytes") unless salt.bytesize == 16

    expires_at = lifetime.zero? ? 0 : now + lifetime
    head = [0, key_id].pack("CN") + [now].pack("Q>")[3..] + [expires_at].pack("Q>")[3..] + salt.b
    key = head + Check.mac(Check.key_secret(secret), head, app, user)
    "dgk1.#{[key].pack("m0").tr("+/", "-_")}"
  end

  # Raises Deskgate::Error unless the key is genuine and in force; secrets has the app's secrets by key id.
  #
  # The service alone knows what is revoked or blocked, and how long a key may live.
  def verify_security_key(app_id, user_id, security_key, secrets, now: Time.now.to_i)
    app = Check.text("app_id", app_id, 255)
    user = Check.text("user_id", user_id, 100)
    # The first byte of the head is 0: in base64url A and one of A to P.
    match = /\Adgk1\.(A[A-P][A-Za-z0-9_-]{82})\z/n.match(Check.text("security_key", security_key, 100))
    raise Error.new("not_a_security_key", "expected dgk1. and 84 base64url characters") unless match

    key = match[1].tr("-_", "+/").unpack1("m0")
    head = key.byteslice(0, 31)
    mac = key.byteslice(31, 32)
    key_id, issued_at, expires_at = [[1, 4], [5, 5], [10, 5]].map { |start, count| head.byteslice(start, count).unpack1("H*").hex }
    secret = secrets.fetch(key_id) { raise Error.new("unknown_key", "there is no secret of this key id") }
    unless OpenSSL.fixed_length_secure_compare(Check.mac(Check.key_secret(secret), head, app, user), mac)
      raise Error.new("wrong_mac", "made with another secret, or for another app or user")
    end
    raise Error.new("issued_in_future", "issued later than now; one of the clocks is wrong") if issued_at > now + CLOCK_SKEW
    raise Error.new("expired", "its life is over") if expires_at != 0 && now > expires_at + CLOCK_SKEW
  end

  # Raises Deskgate::Error unless the service has signed this request (Standard Webhooks) at most tolerance seconds from now.
  #
  # The headers may have any case, or be Rack's environment; the body is raw, as it was received; secrets ("whsec_…") are several while
  # one is replaced. A retry has the same webhook-id, so remember the ids that you have processed.
  def verify_event(headers, body, secrets, now: Time.now.to_i, tolerance: 300)
    given = headers.to_h { |name, value| [name.to_s.downcase.tr("_", "-").delete_prefix("http-"), value] }
    id, timestamp, signatures = %w[id timestamp signature].map { |name| Array(given["webhook-#{name}"]).first.to_s.b }
    if [id, timestamp, signatures].any?(&:empty?)
      raise Error.new("missing_header", "expected webhook-id, webhook-timestamp and webhook-signature")
    end
    raise Error.new("bad_secret", "expected at least one secret") if secrets.empty?

    genuine = false
    secrets.map { |secret| Check.signing_secret(secret) }.each do |key|
      code = OpenSSL::HMAC.digest("SHA256", key, "#{id}.#{timestamp}.".b + body.b)
      expected = "v1,#{[code].pack("m0")}"
      signatures.split(/ /).each do |signature|
        next unless signature.bytesize == expected.bytesize

        genuine = true if OpenSSL.fixed_length_secure_compare(signature, expected)
      end
    end
    unless genuine && !id.include?(".") && timestamp.match?(/\A[0-9]{1,15}\z/)
      raise Error.new("not_genuine", "made with another secret, or of another body")
    end
    raise Error.new("expired", "signed too long before or after now") if (now - timestamp.to_i).abs > tolerance
  end

  # Shared by minting and verifying.
  module Check
    module_function

    def mac(secret, head, app, user)
      OpenSSL::HMAC.digest("SHA256", secret, ["deskgate/sk/v1", head, app.bytesize, app, user.bytesize, user].pack("a*a*Na*Na*"))
    end

    # The UTF-8 of a text of 1 to longest UTF-16 units without control characters, as bytes.
    def text(name, value, longest)
      raise Error.new("bad_argument", "#{name} is a String") unless value.is_a?(String)
      raise Error.new("empty", "#{name} is empty") if value.empty?
      raise Error.new("control_character", "#{name} has a control character") if value.b.match?(/[\x00-\x1f\x7f]/n)

      value = value.encode(Encoding::UTF_8)
      raise Error.new("not_unicode", "#{name} is not UTF-8") unless value.valid_encoding?
      raise Error.new("too_long", "#{name} has more than #{longest} UTF-16 units") if value.encode("UTF-16LE").bytesize > 2 * longest

      value.b
    rescue EncodingError
      raise Error.new("not_unicode", "#{name} is not UTF-8")
    end

    def key_secret(secret)
      match = /\A[A-Za-z0-9_-]{43}\z/.match(secret.strip)
      raise Error.new("bad_secret", "a secret is 43 base64url characters, as deskgate secret new prints it") unless match

      "#{match[0].tr("-_", "+/")}=".unpack1("m")
    end

    def signing_secret(secret)
      match = %r{\Awhsec_([A-Za-z0-9+/]{32,86}={0,2})\z}.match(secret.strip)
      unless match && (match[1].length % 4).zero?
        raise Error.new("bad_secret", "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it")
      end

      match[1].unpack1("m")
    end
  end
  private_constant :Check
end
