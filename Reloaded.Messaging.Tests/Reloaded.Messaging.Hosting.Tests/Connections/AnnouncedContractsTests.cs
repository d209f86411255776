using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class AnnouncedContractsTests
{
    [Theory]
    [InlineData(0)]
    [InlineData(1)]
    [InlineData(3)]
    [InlineData(20)]
    public void Announcement_is_read_as_it_was_written(int count)
    {
        var contracts = Contracts(count);
        var read = AnnouncedContracts.TryRead(ContractDescriptor.WriteAll(contracts))!;

        Assert.Equal(contracts.Select(static one => one.Type), Enumerable.Range(0, read.Count).Select(place => read.Read(place).Type));
        for (var place = 0; place < count; place++)
        {
            var (contract, one) = (contracts[place], read.Read(place));
            Assert.Equal(place, read.Find(contract.Type));
            Assert.Equal((contract.MessageType.FullName, contract.SerializerName, contract.Version), (one.Name, one.Encoding, one.Version));
            Assert.Equal(contract.Shape!.Fields.ToArray(), one.Shape);
        }

        Assert.Equal(-1, read.Find(999));
        Assert.Equal(count > 0, read.HasLayouts);
        Assert.Equal(count > 0 ? LayoutLines.Of(contracts).ToString() : null, read.Layouts?.ToString());
    }

    [Fact]
    public void Members_of_an_enum_are_written_once_and_then_their_number()
    {
        var lines = LayoutLines.Of([MessageContract.GetDeclared<Dyed>()]);

        Assert.EndsWith(";From i4<Red=0,Green=1>;Size u1<Small=0,Large=9>;To i4<=0>;Next u1<=1>\n", lines.ToString(), StringComparison.Ordinal);
        Assert.Null(new LayoutComparison(lines, lines).Find(0, 0));
    }

    [Fact]
    public void Message_inside_itself_has_one_line() =>
        Assert.EndsWith(" Linked o;Number i4;Next @0\n", LayoutLines.Of([MessageContract.GetDeclared<Linked>()]).ToString(), StringComparison.Ordinal);

    [Theory]
    [InlineData(2)]
    [InlineData(20)]
    public void Announcement_with_an_id_twice_is_refused(int count) =>
        Assert.Null(AnnouncedContracts.TryRead(ContractDescriptor.WriteAll([.. Contracts(count), Contract(1000)])));

    [Theory]
    [InlineData(1)]
    [InlineData(20)]
    public void Announcement_that_ends_early_or_late_is_refused(int count)
    {
        var whole = ContractDescriptor.WriteAll(Contracts(count));

        Assert.All(Enumerable.Range(0, whole.Length), length => Assert.Null(AnnouncedContracts.TryRead(whole.AsMemory(0, length))));
        Assert.Null(AnnouncedContracts.TryRead((byte[])[.. whole, 0]));
        Assert.NotNull(AnnouncedContracts.TryRead(whole));
    }

    [Theory]
    [InlineData(new byte[] { 0 })] // null
    [InlineData(new byte[] { 0x81, 0x40 })] // 8192 contracts in no bytes
    [InlineData(new byte[] { 2, 5, 0, 1, 1, 0, 0, 0, 1 })] // a name of null
    [InlineData(new byte[] { 2, 5, 2, 0xFF, 1, 1, 0, 0, 0, 1 })] // a name that is no UTF-8
    [InlineData(new byte[] { 2, 5, 1, 1, 1, 0, 0, 0, 0 })] // a shape of null
    [InlineData(new byte[] { 2, 5, 1, 1, 1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x0F })] // a shape of many fields
    public void Malformed_announcement_is_refused(byte[] bytes) => Assert.Null(AnnouncedContracts.TryRead(bytes));

    [Fact]
    public void Announcement_of_more_contracts_than_allowed_is_refused()
    {
        Assert.Null(AnnouncedContracts.TryRead(Many(ContractDescriptor.MaxCount + 1)));
        Assert.Equal(ContractDescriptor.MaxCount, AnnouncedContracts.TryRead(Many(ContractDescriptor.MaxCount))!.Count);

        static byte[] Many(int count) => ContractDescriptor.WriteAll([.. Enumerable.Range(0, count).Select(static i => new MessageContract<Ping>(1000u + (uint)i, new BlittableSerializer<Ping>()))], null);
    }

    [Fact]
    public async Task Equal_announcements_are_read_once()
    {
        await using var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0));
        var first = server.Contracts.ReadAnnouncement(ContractDescriptor.WriteAll(Contracts(3)));
        var second = server.Contracts.ReadAnnouncement(ContractDescriptor.WriteAll(Contracts(3)));
        var other = server.Contracts.ReadAnnouncement(ContractDescriptor.WriteAll(Contracts(4)));

        Assert.Same(first, second);
        Assert.Equal(4, other!.Count);
    }

    [Fact]
    public void Comparison_of_equal_bytes_is_repeated_for_changed_contracts()
    {
        var theirs = AnnouncedContracts.TryRead(ContractDescriptor.WriteAll([.. Contracts(3), Contract(2000)]))!;
        var changed = ContractAnnouncement.Of([Contract(1000), Contract(1001, "o;A i4;C s")]);

        Assert.Empty(theirs.Compare(ContractAnnouncement.Of(Contracts(3))));
        Assert.Equal("Ping.C", Assert.Single(theirs.Compare(changed)).OurView.Path);
        Assert.Empty(theirs.Compare(ContractAnnouncement.Of(Contracts(3))));
    }

    [Fact]
    public void Changed_line_of_an_equal_contract_is_found()
    {
        // Only the message inside differs, and its line is no entry of the announcement.
        var ours = ContractAnnouncement.Of([Holder("o;X i4")]);
        var theirs = AnnouncedContracts.TryRead(ContractDescriptor.WriteAll([Holder("o;Y i4"), Contract(1000)]))!;

        Assert.Equal("Ping.Inner.X", Assert.Single(theirs.Compare(ours)).OurView.Path);

        static MessageContract Holder(string inner) =>
            new MessageContract<Ping>(50, new BlittableSerializer<Ping>(), shape: new MessageShape(["Inner"], [1ul << 32], "o;Inner @0", () => [Contract(51, inner)]));
    }

    [Fact]
    public void Layout_with_an_enum_that_does_not_end_differs()
    {
        var ours = new ContractLayouts("1 1 A o;X u1<On=1>\n");

        Assert.NotNull(new LayoutComparison(ours, new ContractLayouts("1 1 A o;X u1<On=1\n")).Find(0, 0));
        Assert.NotNull(new LayoutComparison(new ContractLayouts("1 1 A o;X u1<On=1\n"), new ContractLayouts("1 1 A o;X u1<On=1\n\n")).Find(0, 0));
    }

    [Fact]
    public async Task Announcements_beyond_512_KiB_are_refused_and_a_replaced_one_does_not_count()
    {
        var endpoint = MessageEndpoint.InProcess($"announcements-{Guid.NewGuid():N}");
        await using var server = await MessageHost.ListenAsync(endpoint);
        await using var client = await MessageHost.ConnectAsync(endpoint);
        var remote = new RemoteContracts(acceptsOthers: false, client.Server);
        var ours = ContractAnnouncement.Of([]);
        var (kept, size) = (0, ContractAnnouncement.Of([Contract(1000)]).Bytes.Length);

        for (var i = 0; i < 2 * 512 * 1024 / size; i++)
            Assert.Null(remote.Add(ContractAnnouncement.Of([Contract(1000)]).Bytes, ours));
        while (remote.Add(ContractAnnouncement.Of([Contract(2000 + (uint)kept)]).Bytes, ours) is null)
            kept++;

        Assert.InRange(kept * size, 256 * 1024, 512 * 1024);
    }

    private static MessageContract[] Contracts(int count) => [.. Enumerable.Range(0, count).Select(static i => Contract(1000u + (uint)i))];

    private static MessageContract<Ping> Contract(uint id, string layout = "o;A i4;B s") =>
        new MessageContract<Ping>(id, new BlittableSerializer<Ping>(), shape: new MessageShape(["A", "B"], [1ul << 32 | 5, 2ul << 32 | 7], layout));

    [Message(9031)]
    internal sealed record Dyed(Dye From, DyedSize Size, Dye To, DyedSize Next);

    [Message(9032)]
    internal sealed record Linked(int Number, Linked? Next);

    internal enum Dye
    {
        Red,
        Green,
    }

    internal enum DyedSize : byte
    {
        Small,
        Large = 9,
    }
}
