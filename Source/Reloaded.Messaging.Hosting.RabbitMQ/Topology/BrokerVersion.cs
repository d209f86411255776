using System;
using System.Collections.Generic;
using System.Text;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Determines the behavior of a broker from the version that it reports.</summary>
internal static class BrokerVersion
{
    /// <summary>Returns whether shared queues must be durable, as from RabbitMQ 4 on. Earlier brokers move a queue that is not durable to another node when its node fails.</summary>
    /// <param name="properties">The properties that the broker sent when the connection was opened.</param>
    /// <returns><c>true</c> for version 4 and later; <c>false</c> for earlier and for unknown versions.</returns>
    public static bool SharesDurable(IDictionary<string, object?>? properties) =>
        properties is not null
        && properties.TryGetValue("version", out var value) && value is byte[] text
        && Version.TryParse(Encoding.UTF8.GetString(text).Split('-', '+')[0], out var version)
        && version.Major >= 4;
}
