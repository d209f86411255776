using Reloaded.Messaging.Tests.Support;

namespace Reloaded.Messaging.Tests.Generated;

/// <summary>The tables of docs/specification/binary-format.md.</summary>
internal static class BinaryFormatPage
{
    private static readonly PageTable s_page = new("binary-format.md");

    public static List<string[]> Table(string heading) => s_page.Rows(heading);

    public static byte[] Bytes(string cell) => PageTable.Bytes(cell);
}
