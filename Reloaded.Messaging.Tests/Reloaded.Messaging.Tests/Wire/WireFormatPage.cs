using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Wire;

/// <summary>The tables of docs/specification/wire-format.md.</summary>
internal static class WireFormatPage
{
    private static readonly PageTable s_page = new("wire-format.md");

    public static List<string[]> Table(string heading) => s_page.Rows(heading);

    public static byte[] Bytes(string cell) => PageTable.Bytes(cell);
}
