using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A contract in the form in which it is announced to the remote side.</summary>
internal sealed class ContractDescriptor(uint type, string name, string encoding, int version, ulong[] shape)
{
    /// <summary>The id.</summary>
    public readonly uint Type = type;

    /// <summary>The name of the .NET type on the announcing side. Used only in messages and logs.</summary>
    public readonly string Name = name;

    /// <summary>How payloads are encoded, as <see cref="EncodingOf"/> returns it.</summary>
    public readonly string Encoding = encoding;

    /// <summary>The declared version.</summary>
    public readonly int Version = version;

    /// <summary>The fields of the generated shape; empty for a contract without a shape.</summary>
    public readonly ulong[] Shape = shape;

    /// <summary>The maximum number of contracts in a hello.</summary>
    public const int MaxCount = 4096;

    private const string NoFormat = "none";
    private const int MaxLayouts = HelloMessage.MaxSize / 8 * 7; // the rest is left for later announcements, because hosts of an earlier version store at most one hello

    /// <summary>Returns the serialized announcement of contracts with their layouts.</summary>
    public static byte[] WriteAll(MessageContract[] contracts) => WriteAll(contracts, LayoutLines.Of(contracts));

    /// <summary>Returns the serialized announcement: a count and the contracts.</summary>
    /// <param name="contracts">The contracts.</param>
    /// <param name="layouts">The layouts of the contracts, which follow as a last entry; <c>null</c> for none. Lines that do not fit are left out, and such messages are not compared. Hosts of an earlier version keep that entry as a contract that they do not know.</param>
    public static byte[] WriteAll(MessageContract[] contracts, ContractLayouts? layouts)
    {
        using var entries = new ReusableBuffer();
        var buffer = entries.Buffer;
        foreach (var contract in contracts)
        {
            var fields = contract.Shape is { } shape ? shape.Fields : default;
            buffer.WriteUVarint(contract.Type);
            buffer.WriteString(NameOf(contract));
            buffer.WriteString(EncodingOf(contract));
            buffer.WriteFixed(contract.Version);
            buffer.WriteCount(fields.Length);
            buffer.WriteBlock(fields);
        }

        var count = (uint)contracts.Length;
        var room = MaxLayouts - UVarint.SizeOf(count + 1) - entries.Length;
        if (layouts is not null && count < MaxCount && LayoutLines.Cut(layouts.ToString(), room) is { Length: > 0 } lines)
        {
            count++;
            buffer.WriteUVarint(LibraryTypes.ContractLayouts);
            buffer.WriteString(lines);
            buffer.WriteString("layouts");
            buffer.WriteFixed(1);
            buffer.WriteCount(0);
        }

        Span<byte> prefix = stackalloc byte[UVarint.MaxSize];
        return [.. prefix.Slice(0, UVarint.Write(prefix, count + 1)), .. entries.Written.Span];
    }

    /// <summary>Returns the name of the serializer. For a contract with a compressor, a plus sign and the name of the compressor follow.</summary>
    public static string EncodingOf(MessageContract contract) => contract.Compression is { } compression ? $"{contract.SerializerName}+{compression.CompressorName}" : contract.SerializerName;

    /// <summary>Compares two encodings. A name of a compressor with a dot is that of a class whose format the announcing side does not know.</summary>
    /// <returns>The difference as this side and as the remote side sees it; <c>null</c> if each side can read the other.</returns>
    public static (string Here, string There)? FindDifference(string ours, string theirs)
    {
        var (serializer, format) = Divide(ours);
        var (theirSerializer, theirFormat) = Divide(theirs);
        if (serializer != theirSerializer)
            return Describe("serializer", serializer, theirSerializer);
        if (format == theirFormat || (format != NoFormat && theirFormat != NoFormat && (format + theirFormat).Contains('.')))
            return null;
        return Describe("compressor", format, theirFormat, "; both sides need the same format");
    }

    /// <summary>Reads the bytes of a contract in an announcement.</summary>
    public static ContractDescriptor? TryRead(ReadOnlySpan<byte> bytes)
    {
        var reader = new PayloadReader(bytes);
        if (!reader.TryReadUVarint(out var type) ||
            !reader.TryReadRequiredString(out var name) ||
            !reader.TryReadRequiredString(out var encoding) ||
            !reader.TryReadFixed(out int version) ||
            !reader.TryReadCount(sizeof(ulong), sizeof(ulong), out var count) ||
            count < 0)
        {
            return null;
        }

        var shape = new ulong[count];
        return reader.TryReadBlock<ulong>(shape) && reader.IsAtEnd ? new ContractDescriptor(type, name, encoding, version, shape) : null;
    }

    /// <summary>Returns the first difference between this contract of the remote side and a contract of this side, as each side sees it; <c>null</c> if they are compatible.</summary>
    /// <param name="ours">The contract of this side.</param>
    /// <param name="layouts">Compares the layouts of this side with those of the remote side; <c>null</c> if the remote side has announced none.</param>
    /// <param name="ourLine">The number of the line of <paramref name="ours"/> in the layouts of this side.</param>
    /// <param name="theirLine">The number of the line of this contract in the layouts of the remote side.</param>
    public ContractDifference? FindDifference(MessageContract ours, LayoutComparison? layouts, int ourLine, int theirLine)
    {
        if ((FindDifference(EncodingOf(ours), Encoding) ?? (Version == ours.Version ? null : Describe("version", $"{ours.Version}", $"{Version}"))) is var (here, there))
            return Differ(null, here, there);
        if (layouts?.Find(ourLine, theirLine) is { } difference)
            return Differ(difference.Path, difference.Describe(isOurView: true), difference.Describe(isOurView: false));
        if (ours.Shape is not { } shape || shape.FindDifference(Shape) is not (>= 0 and var field))
            return null;
        var text = $"the first difference is the field {shape.GetName(field)}";
        return Differ(shape.GetName(field), text, text);

        ContractDifference Differ(string? path, string ourText, string theirText) => new(
            new ContractMismatch(Type, NameOf(ours), RemoteText.Clean(Name), ourText) { Path = path },
            new ContractMismatch(Type, RemoteText.Clean(Name), NameOf(ours), theirText) { Path = path });
    }

    private static (string Serializer, string Format) Divide(string encoding)
    {
        var at = encoding.LastIndexOf('+');
        return at < 0 ? (encoding, NoFormat) : (encoding.Substring(0, at), encoding.Substring(at + 1));
    }

    private static (string Here, string There) Describe(string what, string ours, string theirs, string advice = "")
    {
        theirs = RemoteText.Clean(theirs);
        return ($"the {what} is {ours} here and {theirs} there{advice}", $"the {what} is {theirs} here and {ours} there{advice}");
    }

    /// <summary>Returns the difference to a contract by which this side has sent events that may still be on their way; <c>null</c> for several contracts.</summary>
    public ContractDifference DifferFrom(ContractDescriptor? sent)
    {
        const string Text = "events of another layout may be on their way; connect again";
        var (ours, theirs) = (sent?.Name ?? "an earlier contract", RemoteText.Clean(Name));
        return new ContractDifference(new ContractMismatch(Type, ours, theirs, Text), new ContractMismatch(Type, theirs, ours, Text));
    }

    private static string NameOf(MessageContract contract) => contract.MessageType.FullName ?? contract.MessageType.Name;
}

/// <summary>A difference between two contracts.</summary>
internal sealed class ContractDifference(ContractMismatch ourView, ContractMismatch theirView)
{
    /// <summary>The difference as this side sees it: "here" is this side.</summary>
    public readonly ContractMismatch OurView = ourView;

    /// <summary>The difference as the remote side sees it.</summary>
    public readonly ContractMismatch TheirView = theirView;
}
