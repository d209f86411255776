using System.Globalization;
using System.IO;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tool;

/// <summary>Prints messages and notes, one a line, and counts the invalid ones.</summary>
internal sealed class Dump(TextWriter output, MessageFormatter formatter)
{
    /// <summary>The number of messages that were printed.</summary>
    public int Messages { get; private set; }

    /// <summary>The number of messages that are malformed or do not fit the schema, and of streams that cannot be read to their end.</summary>
    public int Invalid { get; private set; }

    /// <summary>Prints a message.</summary>
    /// <param name="prefix">The time and the source; empty for none.</param>
    /// <param name="message">The header and the payload.</param>
    public void Print(string prefix, ReadOnlySpan<byte> message)
    {
        output.WriteLine(prefix + formatter.Describe(message, out var isValid));
        Messages++;
        Invalid += isValid ? 0 : 1;
    }

    /// <summary>Prints the payload of a contract.</summary>
    public void PrintPayload(SchemaContract contract, ReadOnlySpan<byte> payload)
    {
        output.WriteLine(formatter.DescribePayload(contract, payload, out var isValid));
        Messages++;
        Invalid += isValid ? 0 : 1;
    }

    /// <summary>Prints the frames at the start of a span.</summary>
    /// <param name="prefix">The time and the source; empty for none.</param>
    /// <param name="bytes">The frames.</param>
    /// <param name="reach">Is called before each frame with the number of bytes that were read; <c>null</c> for no call.</param>
    /// <returns>The number of bytes that were read, or <c>null</c> if the rest is malformed, which is printed.</returns>
    public int? PrintFrames(string prefix, ReadOnlySpan<byte> bytes, Action<long>? reach = null)
    {
        var rest = bytes;
        while (!rest.IsEmpty)
        {
            reach?.Invoke(bytes.Length - rest.Length);
            switch (Frame.TryRead(ref rest, int.MaxValue, out var message))
            {
                case FrameStatus.Ok:
                    Print(prefix, message);
                    break;
                case FrameStatus.Incomplete:
                    return bytes.Length - rest.Length;
                default:
                    Fail(string.Create(CultureInfo.InvariantCulture, $"{prefix}not a frame at byte {bytes.Length - rest.Length}"));
                    return null;
            }
        }

        return bytes.Length;
    }

    /// <summary>Prints a line that is no message.</summary>
    public void Note(string text) => output.WriteLine(text);

    /// <summary>Prints and counts an error in the bytes.</summary>
    public void Fail(string text)
    {
        output.WriteLine(text);
        Invalid++;
    }
}
