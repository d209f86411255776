using System;
using RabbitMQ.Client.Exceptions;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Describes why connecting failed.</summary>
internal static class Reason
{
    /// <summary>Returns the messages of the exception and of its causes. The outer exception of the client says only that no endpoint was reachable.</summary>
    public static string Of(Exception exception)
    {
        switch (exception)
        {
            case BrokerUnreachableException { InnerException: { } cause }:
                return Of(cause);
            case AggregateException { InnerExceptions: { Count: > 0 } causes }:
                var all = Of(causes[0]);
                for (var index = 1; index < causes.Count; index++)
                {
                    if (Of(causes[index]) is var other && !all.Contains(other, StringComparison.Ordinal))
                        all = $"{all}; {other}";
                }

                return all;
            default:
                return exception.InnerException is { } inner && Of(inner) is var text && !exception.Message.Contains(text, StringComparison.Ordinal)
                    ? $"{exception.Message}: {text}"
                    : exception.Message;
        }
    }
}
