using System;
using System.Collections.Generic;

namespace Reloaded.Messaging.Extensions.Hosting.RabbitMQ;

/// <summary>The address of a broker: <c>amqp://USER:PASSWORD@HOST:PORT/VIRTUALHOST</c>, or <c>amqps</c> for TLS. Only the host is required.</summary>
internal sealed record BrokerAddress(string Host, int Port, bool IsEncrypted, string? User, string? Password, string? VirtualHost)
{
    private const string Expected = "one or more addresses, separated by commas, such as amqp://localhost or amqps://node1:5671,amqps://node2:5671. Only the first one may have credentials and a virtual host";

    /// <summary>Reads the addresses of a key. The error does not contain the value, which may contain a password.</summary>
    /// <returns>The addresses; none if the key is missing or its value is not valid.</returns>
    public static List<BrokerAddress> ReadAll(SettingsSection section, string key)
    {
        if (section.ReadText(key) is not { } text)
            return [];
        var all = new List<BrokerAddress>();
        foreach (var part in text.Split(',', StringSplitOptions.TrimEntries))
        {
            if (!TryParse(part, out var address) || (all.Count > 0 && (address.User ?? address.VirtualHost) is not null))
            {
                section.AddError(key, part.Contains('@', StringComparison.Ordinal) ? "" : $" contains '{part}'", $"It must be {Expected}.");
                return [];
            }

            all.Add(address);
        }

        return all;
    }

    private static bool TryParse(string text, out BrokerAddress address)
    {
        address = null!;
        if (!Uri.TryCreate(text, UriKind.Absolute, out var uri) || uri.Scheme is not ("amqp" or "amqps") || uri.Host.Length == 0 || uri.Query.Length + uri.Fragment.Length > 0 || uri.AbsolutePath.IndexOf('/', 1) > 0)
            return false;
        var credentials = uri.UserInfo.Split(':', 2);
        var path = uri.AbsolutePath.TrimStart('/');
        address = new BrokerAddress(
            uri.IdnHost,
            uri.Port, // -1 is the default port of the scheme
            uri.Scheme == "amqps",
            credentials[0].Length > 0 ? Uri.UnescapeDataString(credentials[0]) : null,
            credentials.Length > 1 ? Uri.UnescapeDataString(credentials[1]) : null,
            path.Length > 0 ? Uri.UnescapeDataString(path) : null);
        return true;
    }
}
