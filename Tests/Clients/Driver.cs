using System;
using System.Collections.Generic;
using System.Collections.Specialized;
using System.IO;
using System.Linq;
using System.Text;
using System.Text.RegularExpressions;

/// <summary>Asks clients/Deskgate.cs what Scripts/test-clients asks: a request a line, its fields in hexadecimal; an answer a line.</summary>
static class Driver
{
    private sealed class Request
    {
        public NameValueCollection Headers { get; } = new NameValueCollection();

        public Request(IEnumerable<string> fields)
        {
            foreach (var pair in fields.Select(field => field.Split(':'))) Headers[Text(pair[0])] = Text(pair[1]);
        }
    }

    private static byte[] Bytes(string field) =>
        Enumerable.Range(0, field.Length / 2).Select(place => Convert.ToByte(field.Substring(2 * place, 2), 16)).ToArray();

    private static string Text(string field) => Encoding.UTF8.GetString(Bytes(field));

    private static string Example(Request request, byte[] body)
    {
        var secret = File.ReadAllText("secrets/app-1.key");
        var securityKey = Deskgate.MintSecurityKey("my-app", "user-1", 1, secret); // for the signed-in user
        Deskgate.VerifySecurityKey("my-app", "user-1", securityKey, new Dictionary<uint, string> { { 1, secret } }); // in a test of yours
        var signingSecret = File.ReadAllText("secrets/backend.key");
        Deskgate.VerifyEvent(name => request.Headers[name], body, new[] { signingSecret }); // throws DeskgateException: answer 401
        return securityKey;
    }

    private static string OfSendbird(Request request, byte[] body)
    {
        var secret = File.ReadAllText("secrets/sendbird-1.key");
        var signingSecret = File.ReadAllText("secrets/backend.key");
        var securityKey = Deskgate.MintSecurityKey("sendbird-app", "user-1", 1, secret); // for POST /sendbird/session-token
        Deskgate.VerifyEvent(name => request.Headers[name], body, new[] { signingSecret }); // throws DeskgateException: answer 401
        var json = Encoding.UTF8.GetString(body); // for System.Text.Json
        return securityKey + (json.Contains("\"ticket.rated\"") ? " true" : " false");
    }

    /// <summary>Mono has no System.Text.Json: the members are found in the text.</summary>
    private static string Read(string body)
    {
        var found = Regex.Match(body, "\"type\":\"([^\"]*)\".*\"data\":\\{\"ticket_id\":([0-9]+)");
        return found.Success ? found.Groups[1].Value + " " + found.Groups[2].Value : "unread";
    }

    private static string Answer(string command, string[] fields)
    {
        switch (command)
        {
            case "mint":
                if (!uint.TryParse(fields[2], out var keyId)) return "impossible";
                var (app, user, secret, lifetime) = (Text(fields[0]), Text(fields[1]), Text(fields[3]), long.Parse(fields[4]));
                if (fields[5] == "-") return Deskgate.MintSecurityKey(app, user, keyId, secret, lifetime);
                return Deskgate.MintSecurityKey(app, user, keyId, secret, lifetime, long.Parse(fields[5]), Bytes(fields[6]));
            case "verify":
                var secrets = fields.Skip(4).Select(field => field.Split(':')).ToDictionary(pair => uint.Parse(Text(pair[0])), pair => Text(pair[1]));
                Deskgate.VerifySecurityKey(Text(fields[0]), Text(fields[1]), Text(fields[2]), secrets, long.Parse(fields[3]));
                return "valid";
            case "event":
            case "read":
                var texts = fields[2].Split(',').Select(Text).ToList();
                var request = new Request(fields.Skip(3));
                Deskgate.VerifyEvent(name => request.Headers[name], Bytes(fields[1]), texts.Take(texts.Count - 1), long.Parse(fields[0]));
                return command == "event" ? "genuine" : Read(Text(fields[1]));
            case "not-unicode":
                return Deskgate.MintSecurityKey("app", "\ud800", 1, new string('A', 43));
            case "half-second":
            case "number":
                return "impossible";
            case "sendbird":
                return OfSendbird(new Request(fields.Skip(1)), Bytes(fields[0]));
            default:
                return Example(new Request(fields.Skip(1)), Bytes(fields[0]));
        }
    }

    static void Main()
    {
        for (var line = Console.ReadLine(); line != null; line = Console.ReadLine())
        {
            var fields = line.Split('\t');
            try
            {
                Console.WriteLine(Answer(fields[0], fields.Skip(1).ToArray()));
            }
            catch (DeskgateException error)
            {
                Console.WriteLine(error.Reason);
            }
        }
    }
}
