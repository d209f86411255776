using System.Linq;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Generated;

public sealed class EvolutionTests
{
    [Fact]
    public void Appended_fields_keep_their_initializers_when_an_older_sender_leaves_them_out()
    {
        var read = Payload.Convert<SettingsV1, SettingsV2>(new SettingsV1 { Name = "n", Size = 3 });
        Assert.Equal(("n", 3, "green", "none"), (read.Name, read.Size, read.Color, read.Note));
        Assert.Equal([1, 2], read.Numbers);
    }

    [Fact]
    public void Appended_members_that_never_are_null_and_have_no_initializer_are_empty()
    {
        var read = Payload.Convert<SettingsV1, SettingsV2>(new SettingsV1());
        Assert.Equal("", read.Bare);
        Assert.Empty(read.Bytes);
        Assert.Empty(read.Map);

        var made = Payload.Convert<SettingsV1, RequiredV2>(new SettingsV1 { Name = "n", Size = 3 });
        Assert.Equal("", made.Text);
        Assert.Empty(made.Array);
        Assert.Empty(made.Numbers);
        Assert.Empty(made.Map);
    }

    [Fact]
    public void Appended_parameters_are_what_their_constructor_says() =>
        Assert.Equal(new RecordV2("n", 3), Payload.Convert<SettingsV1, RecordV2>(new SettingsV1 { Name = "n", Size = 3 }));

    [Fact]
    public void A_missing_message_that_never_is_null_makes_the_payload_invalid() =>
        Assert.False(Payload.TryRead<NeedyV2>(Payload.Of(new SettingsV1()), out _));

    [Theory]
    [InlineData(100, "", true)]
    [InlineData(200, "", false)]
    [InlineData(100_000, "ab", true)]
    public void Items_of_an_older_sender_are_read_if_their_bytes_pay_for_appended_members(int count, string text, bool isRead)
    {
        var old = Payload.Of(new RowsV1([.. Enumerable.Repeat(new RowV1(text), count)]));

        Assert.Equal(isRead, Payload.TryRead<RowsV2>(old, out var read));
        Assert.Equal(isRead ? count : 0, read?.All.Count ?? 0);
    }

    [Fact]
    public void An_older_receiver_passes_over_what_was_appended()
    {
        var read = Payload.Convert<SettingsV2, SettingsV1>(new SettingsV2 { Name = "n", Size = 3, Bare = "", Bytes = [], Map = [] });
        Assert.Equal(("n", 3), (read.Name, read.Size));
    }

    [Fact]
    public void A_payload_may_end_between_two_fields_and_nowhere_else()
    {
        var payload = Payload.Of(new SettingsV1 { Name = "name", Size = 3 }); // 5 and 4 bytes
        for (var length = 0; length <= payload.Length; length++)
            Assert.Equal(length is 0 or 5 or 9, Payload.TryRead<SettingsV2>(payload.AsSpan(0, length).ToArray(), out _));
    }

    [Fact]
    public void Messages_in_a_list_evolve_on_their_own()
    {
        var newer = new ShelfV2([], 42);
        for (var i = 0; i < 3; i++)
            newer.All.Add(new SettingsV2 { Name = $"{i}", Size = i, Color = new string('c', i * 100), Bare = "", Bytes = [1], Map = [] });
        var older = Payload.Convert<ShelfV2, ShelfV1>(newer);
        Assert.Equal(42, older.Mark);
        Assert.Equal(["0", "1", "2"], older.All.ConvertAll(static item => item.Name));

        var back = Payload.Convert<ShelfV1, ShelfV2>(older);
        Assert.Equal(42, back.Mark);
        Assert.All(back.All, static item => Assert.Equal("green", item.Color));
        Assert.Equal([0, 1, 2], back.All.ConvertAll(static item => item.Size));
    }

    [Fact]
    public void A_struct_reads_one_with_fewer_fields_and_one_with_more()
    {
        Assert.Equal(new PointV2(1, 2, 3, 0), Payload.Convert<PointV1, PointV2>(new PointV1(1, 2, 3)));
        Assert.Equal(new PointV1(1, 2, 3), Payload.Convert<PointV2, PointV1>(new PointV2(1, 2, 3, 4)));
    }

    [Fact]
    public void A_dispatched_struct_ends_at_a_field_or_is_invalid()
    {
        var contract = MessageContract.GetDeclared<PointV2>();
        var dispatcher = new MessageDispatcher<PointV2>();
        dispatcher.Register<PointV2>(static (in PointV2 message, ref PointV2 state) => state = message);
        var payload = Payload.Of(new PointV2(1, 2, 3, 4));
        for (var length = 0; length <= payload.Length + 3; length++)
        {
            Span<byte> message = new byte[MessageHeader.MaxSize + payload.Length + 3];
            var size = new MessageHeader(contract.Type).Write(message);
            payload.AsSpan(0, Math.Min(length, payload.Length)).CopyTo(message.Slice(size));
            PointV2 state = default;
            var status = dispatcher.Dispatch(message.Slice(0, size + length), ref state);
            Assert.Equal(length is 0 or 4 or 6 or 8 or >= 16 ? DispatchStatus.Handled : DispatchStatus.InvalidPayload, status);
            if (length >= 6 && status == DispatchStatus.Handled)
                Assert.Equal(new PointV2(1, 2, (short)(length >= 8 ? 3 : 0), length >= 16 ? 4 : 0), state);
        }
    }

    [Fact]
    public void A_struct_with_a_short_header_ends_at_a_field_too()
    {
        var dispatcher = new MessageDispatcher<Shift>();
        dispatcher.Register<Shift>(static (in Shift message, ref Shift state) => state = message);
        var payload = Payload.Of(new Shift(1, 2, 3));
        for (var length = 0; length <= payload.Length; length++)
        {
            Shift state = default;
            var status = dispatcher.Dispatch([(byte)MessageContract.GetDeclared<Shift>().Type, .. payload.AsSpan(0, length)], ref state);
            Assert.Equal(length % 4 == 0 ? DispatchStatus.Handled : DispatchStatus.InvalidPayload, status);
            if (length == 8)
                Assert.Equal(new Shift(1, 2, 0), state);
        }
    }

    [Fact]
    public void Numbered_fields_may_be_removed_moved_renamed_and_added()
    {
        var newer = Payload.Convert<LooseV1, LooseV2>(new LooseV1(1, "gone", "text"));
        Assert.Equal(("text", 1, 3), (newer.Title, newer.Number, newer.Fresh));
        Assert.Empty(newer.More);
        Assert.Equal(new LooseV1(1, "", "text"), Payload.Convert<LooseV2, LooseV1>(new LooseV2("text", [1, 2, 3], 1, 8)));
    }

    [Fact]
    public void Numbered_fields_come_in_the_order_of_their_numbers()
    {
        byte[] one = [1, 5, 1, 0, 0, 0];
        byte[] five = [5, 3, 2, (byte)'t'];
        Assert.Equal(new LooseV1(1, "", "t"), Payload.Read<LooseV1>([.. one, .. five]));
        Assert.False(Payload.TryRead<LooseV1>([.. five, .. one], out _), "descending");
        Assert.False(Payload.TryRead<LooseV1>([.. one, .. one], out _), "twice");
        Assert.False(Payload.TryRead<LooseV1>([.. one, 3, 2, 9, 3, 2, 9], out _), "unknown, twice");
    }
}
