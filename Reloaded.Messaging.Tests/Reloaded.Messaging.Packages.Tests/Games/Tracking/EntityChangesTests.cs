using System.Linq;
using Reloaded.Messaging.Games;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Tracking;

[Quiet]
public sealed class EntityChangesTests
{
    private readonly Copies _copies = new();

    [Fact]
    public void Only_what_changed_is_sent_and_arrives()
    {
        using var changes = new EntityChanges();
        var wolf = new Creature { X = 1, Health = 10, Name = "wolf" };
        var fox = new Creature { X = 2, Health = 5, Name = "fox" };
        Assert.True(changes.Collect(1, wolf));
        Assert.True(changes.Collect(300, fox));
        _copies.Receive(changes.All);
        Assert.Equal(["1: wolf 1 10", "300: fox 2 5"], _copies.Texts());

        changes.Clear();
        fox.Health = 5;
        wolf.Health = 9;
        Assert.True(changes.Collect(1, wolf));
        Assert.False(changes.Collect(300, fox));

        Assert.Equal(1, changes.Count);
        Assert.Equal([1, 6, 2, 9, 0, 0, 0], _copies.Receive(changes.All));
        Assert.Equal(["1: wolf 1 9", "300: fox 2 5"], _copies.Texts());
        Assert.All(_copies.All.Values, copy => Assert.Equal(0u, copy.ChangedFields));
        Assert.Equal(0, _copies.Refused);
    }

    [Fact]
    public void An_entity_is_collected_once_a_tick()
    {
        using var changes = new EntityChanges();
        var wolf = new Creature { X = 1 };
        changes.Collect(1, wolf);
        wolf.X = 2;

        Assert.Throws<InvalidOperationException>(() => changes.Collect(1, wolf));

        changes.Clear();
        Assert.True(changes.Collect(1, wolf));
    }

    [Fact]
    public void An_entity_that_throws_leaves_nothing_behind()
    {
        using var changes = new EntityChanges();
        var broken = new Creature { Health = -1 };
        changes.Collect(1, new Creature { X = 1 });

        for (var i = 0; i < 100; i++)
            Assert.Throws<InvalidOperationException>(() => changes.Collect(2, broken));
        changes.Collect(3, new Creature { X = 3 });

        _copies.Receive(changes.All);
        Assert.Equal(["1:  1 0", "3:  3 0"], _copies.Texts());
        Assert.Equal(Creature.HealthField, broken.ChangedFields);
    }

    [Theory]
    [InlineData("1, 2, 1")] // the field is missing
    [InlineData("1, 6, 1, 0, 0, 0, 0, 9, 9")] // more than one entity, cut off
    [InlineData("1, 7, 1, 0, 0, 0, 0, 9")] // a byte too many
    [InlineData("1, 2, 0")] // no field at all
    [InlineData("1, 2, 8")] // a field that there isn't
    [InlineData("1, 6, 9, 0, 0, 0, 0")] // one that there is, and one that there isn't
    [InlineData("1, 6, 255, 255, 255, 255, 15")] // all 32
    [InlineData("1, 3, 4, 0")] // a name that is null
    [InlineData("1, 4, 4, 2, 255")] // a name that is no text
    [InlineData("1, 1")] // an entity without anything
    [InlineData("1")] // an id alone
    [InlineData("128, 0, 0")] // an id in too many bytes
    [InlineData("1, 255, 255, 255, 255, 15, 1")] // a size of gigabytes
    public void What_is_no_update_is_refused(string payload)
    {
        var status = _copies.Receive(payload.Split(", ").Select(byte.Parse).ToArray());

        Assert.NotEqual((DispatchStatus.Handled, 0), (status, _copies.Refused));
        Assert.All(_copies.All.Values, copy => Assert.Equal("", copy.Name));
    }

    [Fact]
    public void Bytes_of_chance_never_throw()
    {
        var random = new Random(8);
        var handled = 0;
        for (var i = 0; i < 20_000; i++)
        {
            var payload = new byte[random.Next(12)];
            random.NextBytes(payload);
            for (var j = 0; j < payload.Length; j++)
                payload[j] &= (byte)(random.Next(4) == 0 ? 0xFF : 0x07);
            handled += _copies.Receive(payload) == DispatchStatus.Handled ? 1 : 0;
        }

        Assert.InRange(handled, 100, 19_000);
        Assert.InRange(_copies.Refused, 100, 19_000);
    }

    [Fact]
    public void An_entity_that_is_not_applied_is_passed_over()
    {
        using var changes = new EntityChanges();
        changes.Collect(1, new Creature { Name = "one" });
        changes.Collect(2, new Creature { Name = "two" });
        var reader = changes.All.GetReader();
        var two = new Creature();

        Assert.True(reader.TryNext(out _, out _));
        Assert.True(reader.TryNext(out var id, out var isGone));
        Assert.True(reader.TryApply(two));

        Assert.Equal((2u, false, "two"), (id, isGone, two.Name));
        Assert.False(reader.TryApply(two));
        Assert.False(reader.TryNext(out _, out _));
    }

    [Fact]
    public void Collecting_sending_and_applying_allocate_nothing()
    {
        using var changes = new EntityChanges();
        var (view, packer, received) = (new EntityView(), new MessageWriter(), 0);
        var creatures = Enumerable.Range(0, 50).Select(_ => new Creature()).ToArray();
        var copy = new Creature();
        var dispatcher = new MessageDispatcher<int>();
        dispatcher.Register(Copies.Contract, (in EntityUpdate update, ref int count) =>
        {
            var reader = update.GetReader();
            while (reader.TryNext(out _, out var isGone))
                count += !isGone && reader.TryApply(copy) ? 1 : 0;
        });

        var bytes = Allocation.OfThousand(() =>
        {
            changes.Clear();
            for (var i = 0; i < creatures.Length; i++)
            {
                creatures[i].X++;
                changes.Collect((uint)i, creatures[i]);
            }

            view.Begin(changes);
            for (var i = 0; i < creatures.Length; i++)
                view.See((uint)i, creatures[i]);
            view.TryEnd(out var update);
            using var packed = packer.Pack(Copies.Contract, update);
            dispatcher.Dispatch(packed.Span, ref received);
        });

        Assert.Equal(0, bytes);
        Assert.True(received >= 50 * 1100);
        Assert.Equal(creatures[49].X, copy.X);
    }

    [Fact]
    public void Changes_that_are_disposed_say_so()
    {
        var changes = new EntityChanges();
        changes.Dispose();
        changes.Dispose();

        Assert.Throws<ObjectDisposedException>(changes.Clear);
        Assert.Throws<ObjectDisposedException>(() => changes.Collect(1, new Creature { X = 1 }));
        Assert.Throws<ObjectDisposedException>(() => new EntityView().Begin(changes));
    }
}
