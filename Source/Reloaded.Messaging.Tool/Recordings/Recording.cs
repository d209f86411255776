using System.Globalization;
using System.IO;
using System.Text;
using System.Text.Json;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>A file of messages and their times: a line of JSON with the format, then a line of JSON for each message.</summary>
internal static class Recording
{
    private const string Name = "reloaded-messaging recording";
    private const string Version = " 1";
    private const string FormatName = Name + Version;
    private const string Start = "{\"format\":\"" + Name;

    /// <summary>Returns whether the bytes begin as a recording does.</summary>
    public static bool IsStart(ReadOnlySpan<byte> bytes) => bytes.StartsWith(Encoding.UTF8.GetBytes(Start));

    /// <summary>Returns the first line.</summary>
    /// <param name="endpoint">The endpoint of the host.</param>
    /// <param name="started">The start of the recording.</param>
    /// <param name="contracts">The contracts of the events, as a hello announces them; empty if they are not known.</param>
    public static string FormatStart(string endpoint, DateTimeOffset started, MessageContract[] contracts)
    {
        var line = new Dictionary<string, string>
        {
            ["format"] = FormatName,
            ["endpoint"] = endpoint,
            ["started"] = started.ToString("O", CultureInfo.InvariantCulture),
        };
        if (contracts.Length > 0)
            line["contracts"] = Convert.ToHexString(ContractDescriptor.WriteAll(contracts));
        return JsonSerializer.Serialize(line);
    }

    /// <summary>Reads the contracts of a recording from its first line.</summary>
    /// <returns>The contracts; <c>null</c> if the recording has none.</returns>
    /// <exception cref="ToolException">Thrown when the line is invalid.</exception>
    public static AnnouncedContracts? ReadContracts(TextReader reader)
    {
        try
        {
            using var document = JsonDocument.Parse(reader.ReadLine() ?? "");
            return !document.RootElement.TryGetProperty("contracts", out var contracts) ? null
                : AnnouncedContracts.TryRead(Convert.FromHexString(contracts.GetString() ?? "")) ?? throw new FormatException();
        }
        catch (Exception e) when (e is JsonException or InvalidOperationException or FormatException)
        {
            throw ToolException.Invalid("Line 1 of the recording is invalid. Record again.");
        }
    }

    /// <summary>Returns the line of a message.</summary>
    public static string FormatLine(RecordedMessage message) =>
        string.Create(CultureInfo.InvariantCulture, $"{{\"time\":{message.Time.TotalSeconds:F6},\"message\":\"{Convert.ToHexString(message.Bytes)}\"}}");

    /// <summary>Reads the messages of a recording.</summary>
    /// <exception cref="ToolException">Thrown when a line is invalid. The messages before have been returned.</exception>
    public static IEnumerable<RecordedMessage> Read(TextReader reader)
    {
        var start = new char[Start.Length];
        var read = reader.ReadBlock(start); // another file may be one endless line
        if (!start.AsSpan(0, read).SequenceEqual(Start) || reader.ReadLine()?.StartsWith(Version + '"', StringComparison.Ordinal) != true)
            throw ToolException.Invalid($"The file is not a recording: its first line does not name the format '{FormatName}'. Create a recording by 'reloaded-messaging record'.");
        var number = 1;
        while (reader.ReadLine() is { } line)
        {
            number++;
            yield return Parse(line) ?? throw ToolException.Invalid(FormattableString.Invariant($"Line {number} of the recording is invalid. Remove the line, or record again."));
        }
    }

    private static RecordedMessage? Parse(string line)
    {
        try
        {
            using var document = JsonDocument.Parse(line);
            var root = document.RootElement;
            var seconds = root.GetProperty("time").GetDouble();
            return seconds >= 0 && seconds < TimeSpan.MaxValue.TotalSeconds / 2
                ? new RecordedMessage(TimeSpan.FromSeconds(seconds), Convert.FromHexString(root.GetProperty("message").GetString() ?? ""))
                : null;
        }
        catch (Exception e) when (e is JsonException or KeyNotFoundException or InvalidOperationException or FormatException)
        {
            return null;
        }
    }
}

/// <summary>A message of a recording.</summary>
/// <param name="Time">The time since the start of the recording.</param>
/// <param name="Bytes">The header and the payload.</param>
internal readonly record struct RecordedMessage(TimeSpan Time, byte[] Bytes);
