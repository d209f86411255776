using System.Text.RegularExpressions;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tool;

/// <summary>Compares a contract of the schema with the contract that the host has announced.</summary>
internal static class RemoteContract
{
    private static readonly Regex s_message = new("JsonElement \\(message ([0-9]+)\\)");

    /// <summary>Compares the contracts as a host does before it sends or requests.</summary>
    /// <exception cref="ToolException">Thrown when the contracts differ. Neither side could read what the other means.</exception>
    public static void ThrowIfOther(Peer host, Schema schema, SchemaContract type, MessageContract contract)
    {
        if (host.Connection.Contracts.Accepts(contract))
            return;
        var mismatch = host.Connection.Contracts.DescribeRefusal(contract) ?? throw new InvalidOperationException("The difference is not known.");
        throw new ToolException(ExitCode.NotDelivered, $"{Describe(schema, type, mismatch)} Name the schema of the host by --schema, or its assembly by --assembly.");
    }

    /// <summary>Compares a contract of the schema with a recorded one.</summary>
    /// <returns>The difference, or <c>null</c>.</returns>
    public static string? FindDifference(AnnouncedContracts recorded, Schema schema, SchemaContract type, MessageContract contract)
    {
        var differences = new List<ContractDifference>();
        recorded.Compare([contract], LayoutLines.Of([contract]), differences);
        return differences.Count == 0 ? null : Describe(schema, type, differences[0].OurView);
    }

    /// <summary>Describes a difference by the names of the schema: values of the tool have one type for all messages.</summary>
    public static string Describe(Schema schema, SchemaContract type, ContractMismatch mismatch)
    {
        var difference = s_message.Replace(mismatch.Difference, match => $"{(uint.TryParse(match.Groups[1].Value, out var id) && schema.Contracts.TryGetValue(id, out var inside) ? inside.Name : "a message")} (message {match.Groups[1].Value})");
        return new ContractMismatch(mismatch.Type, type.Name, mismatch.TheirName, difference.Replace("JsonElement", type.Name.Split('.')[^1], StringComparison.Ordinal)).ToString();
    }
}
