using System.Globalization;
using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Pages;

public sealed class WireFormatPageTests
{
    private static readonly PageTable s_page = new("wire-format.md");

    [Fact]
    public void Disconnect_reasons_on_the_page_are_those_of_the_enum() => Assert.Equal(
        Enum.GetValues<DisconnectReason>().Select(static reason => ((int)reason, reason.ToString())),
        s_page.Rows("Disconnect reasons").Select(static row => (Number(row[0]), row[1])));

    [Fact]
    public void Fault_codes_on_the_page_are_those_of_the_library() => Assert.Equal(
        FaultCodes.All.Select(static code => (code.Value, code.Name)),
        s_page.Rows("Fault codes").Select(static row => (Number(row[0]), row[1])));

    [Fact]
    public void Opcodes_on_the_page_are_those_of_control_messages() => Assert.Equal(
        [(ControlCode.Hello, "hello"), (ControlCode.Ping, "ping"), (ControlCode.Pong, "pong"), (ControlCode.Goodbye, "goodbye"), (ControlCode.Cancel, "cancel")],
        s_page.Rows("Control messages").Select(static row => ((uint)Number(row[0]), row[1])));

    [Fact]
    public void Datagram_parts_on_the_page_are_those_of_the_enum() => Assert.Equal(
        Enum.GetValues<DatagramPart>().Select(static part => ((int)part, part.ToString().ToUpperInvariant())),
        s_page.Rows("Parts").Select(static row => (Number(row[0]), row[1].Replace(" ", "", StringComparison.Ordinal).ToUpperInvariant())));

    private static int Number(string cell) => int.Parse(cell, CultureInfo.InvariantCulture);
}
