using System;
using System.Collections.Generic;
using System.Linq;
using System.Security.Cryptography;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>Why a key or an event is refused, or what is wrong with an argument. It never holds a value that was given.</summary>
public sealed class DeskgateException : Exception
{
    /// <summary>The word for programs.</summary>
    public string Reason { get; }

    internal DeskgateException(string reason, string message) : base(reason + ": " + message)
    {
        Reason = reason;
    }
}

/// <summary>Deskgate for a backend in C#: mints and verifies security keys, and verifies signed events.</summary>
/// <remarks>
/// Copy this file into a namespace of yours; it needs .NET Core 3 or newer and no package. DeskgateException.Reason is a word of the table
/// in clients/README.md.
/// <code>
/// var secret = File.ReadAllText("secrets/app-1.key");
/// var securityKey = Deskgate.MintSecurityKey("my-app", "user-1", 1, secret); // for the signed-in user
/// Deskgate.VerifySecurityKey("my-app", "user-1", securityKey, new Dictionary&lt;uint, string> { { 1, secret } }); // in a test of yours
/// var signingSecret = File.ReadAllText("secrets/backend.key");
/// Deskgate.VerifyEvent(name => request.Headers[name], body, new[] { signingSecret }); // throws DeskgateException: answer 401
/// </code>
/// </remarks>
public static class Deskgate
{
    /// <summary>How far the clocks of backend and service may differ, in seconds, as the service has it by default.</summary>
    private const long ClockSkew = 60;

    /// <summary>Makes a security key of 89 characters.</summary>
    /// <param name="keyId">The secret's number in the service's configuration.</param>
    /// <param name="secret">What <c>deskgate secret new</c> prints.</param>
    /// <param name="lifetime">In seconds; 0 never ends.</param>
    /// <param name="now">In Unix seconds; only for tests.</param>
    /// <param name="salt">16 bytes, only for tests: each key needs a random salt of its own.</param>
    public static string MintSecurityKey(
        string appId, string userId, uint keyId, string secret, long lifetime = 7 * 86400, long? now = null, byte[] salt = null)
    {
        var (app, user) = (Text(nameof(appId), appId, 255), Text(nameof(userId), userId, 100));
        var issuedAt = now ?? UnixTime();
        salt = salt ?? RandomSalt();
        if (lifetime < 0 || issuedAt < 0 || lifetime >= (1L << 40) - issuedAt)
            throw new DeskgateException("bad_argument", "lifetime is at least 0 seconds, and the key ends before 2^40");
        if (salt.Length != 16) throw new DeskgateException("bad_argument", "salt is 16 bytes");
        var expiresAt = lifetime == 0 ? 0 : issuedAt + lifetime;
        var head = Join(new byte[1], BigEndian(keyId, 4), BigEndian(issuedAt, 5), BigEndian(expiresAt, 5), salt);
        var key = Join(head, Mac(KeySecret(secret), head, app, user));
        return "dgk1." + Convert.ToBase64String(key).Replace('+', '-').Replace('/', '_');
    }

    /// <summary>Throws DeskgateException unless the key is genuine and in force.</summary>
    /// <remarks>The service alone knows what is revoked or blocked, and how long a key may live.</remarks>
    /// <param name="secrets">The app's secrets by key id.</param>
    /// <param name="now">In Unix seconds; only for tests.</param>
    public static void VerifySecurityKey(
        string appId, string userId, string securityKey, IReadOnlyDictionary<uint, string> secrets, long? now = null)
    {
        var (app, user) = (Text(nameof(appId), appId, 255), Text(nameof(userId), userId, 100));
        Text(nameof(securityKey), securityKey, 100);
        // The first byte of the head is 0: in base64url A and one of A to P.
        if (!Regex.IsMatch(securityKey, @"\Adgk1\.A[A-P][A-Za-z0-9_-]{82}\z"))
            throw new DeskgateException("not_a_security_key", "expected dgk1. and 84 base64url characters");
        var key = FromBase64Url(securityKey.Substring(5));
        if (!secrets.TryGetValue((uint)Number(key, 1, 4), out var secret))
            throw new DeskgateException("unknown_key", "there is no secret of this key id");
        var (head, mac) = (key.Take(31).ToArray(), key.Skip(31).ToArray());
        if (!CryptographicOperations.FixedTimeEquals(Mac(KeySecret(secret), head, app, user), mac))
            throw new DeskgateException("wrong_mac", "made with another secret, or for another app or user");
        var time = now ?? UnixTime();
        var (issuedAt, expiresAt) = (Number(key, 5, 5), Number(key, 10, 5));
        if (issuedAt > time + ClockSkew)
            throw new DeskgateException("issued_in_future", "issued later than now; one of the clocks is wrong");
        if (expiresAt != 0 && time > expiresAt + ClockSkew) throw new DeskgateException("expired", "its life is over");
    }

    /// <summary>Throws DeskgateException unless the service has signed this request (Standard Webhooks) shortly before or after now.</summary>
    /// <remarks>A retry has the same <c>webhook-id</c>, so remember the ids that you have processed.</remarks>
    /// <param name="headers">Finds a header whatever its case; null if absent.</param>
    /// <param name="body">The raw body, as it was received.</param>
    /// <param name="secrets"><c>whsec_…</c>; several while one is replaced.</param>
    /// <param name="now">In Unix seconds; only for tests.</param>
    /// <param name="tolerance">In seconds.</param>
    public static void VerifyEvent(
        Func<string, string> headers, byte[] body, IEnumerable<string> secrets, long? now = null, long tolerance = 300)
    {
        var (id, timestamp, signatures) = (headers("webhook-id"), headers("webhook-timestamp"), headers("webhook-signature"));
        if (string.IsNullOrEmpty(id) || string.IsNullOrEmpty(timestamp) || string.IsNullOrEmpty(signatures))
            throw new DeskgateException("missing_header", "expected webhook-id, webhook-timestamp and webhook-signature");
        var keys = secrets.Select(SigningSecret).ToList();
        if (keys.Count == 0) throw new DeskgateException("bad_secret", "expected at least one secret");
        var genuine = false;
        foreach (var key in keys)
        {
            var code = Hmac(key, Join(Encoding.UTF8.GetBytes(id + "." + timestamp + "."), body));
            var expected = Encoding.UTF8.GetBytes("v1," + Convert.ToBase64String(code));
            foreach (var signature in signatures.Split(' '))
                genuine |= CryptographicOperations.FixedTimeEquals(expected, Encoding.UTF8.GetBytes(signature));
        }
        if (!genuine || id.Contains(".") || !Regex.IsMatch(timestamp, @"\A[0-9]{1,15}\z"))
            throw new DeskgateException("not_genuine", "made with another secret, or of another body");
        if (Math.Abs((now ?? UnixTime()) - long.Parse(timestamp)) > tolerance)
            throw new DeskgateException("expired", "signed too long before or after now");
    }

    private static long UnixTime() => DateTimeOffset.UtcNow.ToUnixTimeSeconds();

    private static byte[] RandomSalt()
    {
        var salt = new byte[16];
        using (var random = RandomNumberGenerator.Create()) random.GetBytes(salt);
        return salt;
    }

    private static byte[] Mac(byte[] secret, byte[] head, byte[] app, byte[] user)
    {
        var label = Encoding.UTF8.GetBytes("deskgate/sk/v1");
        return Hmac(secret, Join(label, head, BigEndian(app.Length, 4), app, BigEndian(user.Length, 4), user));
    }

    private static byte[] Hmac(byte[] secret, byte[] message)
    {
        using (var hmac = new HMACSHA256(secret)) return hmac.ComputeHash(message);
    }

    private static byte[] Join(params byte[][] parts) => parts.SelectMany(part => part).ToArray();

    private static byte[] BigEndian(long number, int count) =>
        Enumerable.Range(1, count).Select(place => (byte)(number >> 8 * (count - place))).ToArray();

    private static long Number(byte[] data, int start, int count) =>
        data.Skip(start).Take(count).Aggregate(0L, (number, part) => number << 8 | part);

    /// <summary>The UTF-8 of a text of 1 to <paramref name="longest"/> UTF-16 units without control characters.</summary>
    private static byte[] Text(string name, string value, int longest)
    {
        if (string.IsNullOrEmpty(value)) throw new DeskgateException("empty", name + " is empty");
        if (value.Any(unit => unit < 0x20 || unit == 0x7F))
            throw new DeskgateException("control_character", name + " has a control character");
        if (value.Length > longest) throw new DeskgateException("too_long", name + " has more than " + longest + " UTF-16 units");
        try
        {
            return new UTF8Encoding(false, throwOnInvalidBytes: true).GetBytes(value);
        }
        catch (EncoderFallbackException)
        {
            throw new DeskgateException("not_unicode", name + " has half of a surrogate pair");
        }
    }

    private static byte[] FromBase64Url(string text) =>
        Convert.FromBase64String(text.Replace('-', '+').Replace('_', '/').PadRight((text.Length + 3) / 4 * 4, '='));

    private static byte[] KeySecret(string secret)
    {
        if (!Regex.IsMatch(secret.Trim(), @"\A[A-Za-z0-9_-]{43}\z"))
            throw new DeskgateException("bad_secret", "a secret is 43 base64url characters, as deskgate secret new prints it");
        return FromBase64Url(secret.Trim());
    }

    private static byte[] SigningSecret(string secret)
    {
        var match = Regex.Match(secret.Trim(), @"\Awhsec_([A-Za-z0-9+/]{32,86}={0,2})\z");
        if (!match.Success || match.Groups[1].Length % 4 != 0)
            throw new DeskgateException(
                "bad_secret", "a signing secret is whsec_ and base64, as deskgate secret new --signing prints it");
        return Convert.FromBase64String(match.Groups[1].Value);
    }
}
