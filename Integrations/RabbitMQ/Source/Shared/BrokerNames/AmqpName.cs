using System;
using System.Runtime.CompilerServices;
using System.Text;

namespace Reloaded.Messaging.Hosting.RabbitMQ;

/// <summary>Checks the names from which the names of exchanges, queues and routing keys are made.</summary>
/// <remarks>AMQP allows 255 bytes for a name or a routing key. The parts are limited so that each complete name fits.</remarks>
internal static class AmqpName
{
    public const int MaxScope = 32;
    public const int MaxName = 64;
    public const int MaxTopic = 120;

    /// <summary>Returns whether AMQP accepts the text as a routing key. The name of a remote sender may contain invalid UTF-8, and becomes longer when it is decoded.</summary>
    public static bool IsKey(string value) => value.Length > 0 && Encoding.UTF8.GetByteCount(value) <= byte.MaxValue;

    /// <summary>Checks a name that is part of another name. With a dot in it, two queues could have the same name.</summary>
    public static string CheckedPart(string value, int most, [CallerMemberName] string what = "") =>
        Checked(value, most, what).Contains('.', StringComparison.Ordinal)
            ? throw new ArgumentException($"The name '{value}' contains a dot, which separates the parts of a queue's name. Choose a name without a dot.", what)
            : value;

    /// <summary>Returns the name if it is not too long; otherwise, throws.</summary>
    public static string Checked(string value, int most, [CallerMemberName] string what = "")
    {
        ArgumentException.ThrowIfNullOrWhiteSpace(value, what);
        var size = Encoding.UTF8.GetByteCount(value);
        return size <= most
            ? value
            : throw new ArgumentException($"The name '{value}' is {size} bytes in UTF-8; such a name may have at most {most}, because AMQP allows 255 bytes for all parts together. Choose a shorter name.", what);
    }
}
