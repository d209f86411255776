using System.Linq;
using System.Text;
using Reloaded.Messaging.Games;
using Xunit;

namespace Reloaded.Messaging.Tests.Tracking;

public sealed class EntityViewTests : IDisposable
{
    private readonly EntityChanges _changes = new();
    private readonly Dictionary<uint, Creature> _world = [];
    private readonly EntityView _view = new();
    private readonly Copies _copies = new();

    public void Dispose() => _changes.Dispose();

    [Fact]
    public void A_new_entity_comes_whole_a_known_one_with_its_changes_and_an_idle_one_not_at_all()
    {
        _world[1] = new Creature { X = 1, Health = 10, Name = "wolf" };
        _world[2] = new Creature { X = 2, Health = 5, Name = "fox" };
        Tick([]);
        Assert.True(Tick([1]));
        Assert.Equal(["1: wolf 1 10"], _copies.Texts());

        Assert.False(Tick([1]));
        _world[1].Health = 9;
        Assert.True(Tick([1, 2, 1]));

        Assert.Equal(["1: wolf 1 9", "2: fox 2 5"], _copies.Texts());
        Assert.Equal((2, 0), (_view.Count, _copies.Refused));
    }

    [Fact]
    public void An_entity_that_is_seen_no_more_is_gone_and_comes_whole_again()
    {
        _world[1] = new Creature { Name = "wolf" };
        _world[2] = new Creature { Name = "fox" };
        Tick([1, 2]);

        Assert.True(Tick([2]));
        Assert.Equal(["2: fox 0 0"], _copies.Texts());
        Assert.False(Tick([2]));
        _world[1].X = 7;
        Tick([2]);
        Assert.True(Tick([1, 2]));

        Assert.Equal(["1: wolf 7 0", "2: fox 0 0"], _copies.Texts());
    }

    [Fact]
    public void Whatever_a_peer_sees_its_copies_are_the_world()
    {
        var random = new Random(3);
        for (uint id = 0; id < 500; id++)
            _world[id * 7] = new Creature { Name = $"creature {id}" };
        for (var tick = 0; tick < 200; tick++)
        {
            foreach (var creature in _world.Values)
            {
                if (random.Next(10) == 0)
                    creature.X++;
            }

            var share = random.Next(3); // none, few or many
            var seen = _world.Keys.Where(_ => random.Next(3) < share).ToArray();
            Tick(seen);

            Assert.Equal(seen.Order().Select(id => $"{id}: {_world[id]}"), _copies.Texts());
            Assert.Equal(seen.Length, _view.Count);
        }

        Assert.Equal(0, _copies.Refused);
    }

    [Fact]
    public void In_whatever_order_they_come_its_copies_are_the_world()
    {
        var random = new Random(4);
        for (uint id = 0; id < 60; id++)
            _world[id * 7] = new Creature { Name = $"creature {id}" };
        var seen = _world.Keys.Take(20).ToList();
        for (var tick = 0; tick < 2000; tick++)
        {
            _world[seen.Count > 0 ? seen[random.Next(seen.Count)] : 0].X++;
            var unseen = _world.Keys.Except(seen).ToArray();
            switch (random.Next(8))
            {
                case 0:
                    seen = [.. seen.OrderBy(_ => random.Next())];
                    break;
                case 1 when unseen.Length > 0:
                    seen.Insert(random.Next(seen.Count + 1), unseen[random.Next(unseen.Length)]);
                    break;
                case 2 when seen.Count > 0:
                    seen.RemoveAt(random.Next(seen.Count));
                    break;
                case 3 when seen.Count > 0:
                    seen.RemoveAt(seen.Count - 1);
                    break;
                case 4 when unseen.Length > 0:
                    seen.Add(unseen[random.Next(unseen.Length)]);
                    break;
            }

            var twice = random.Next(4) == 0 ? seen.Take(random.Next(3)) : [];
            Tick([.. seen, .. twice]);

            Assert.Equal(seen.Order().Select(id => $"{id}: {_world[id]}"), _copies.Texts());
            Assert.Equal(seen.Count, _view.Count);
        }

        Assert.Equal(0, _copies.Refused);
    }

    [Theory]
    [InlineData(1u)] // in the order of the tick before
    [InlineData(2u)] // not so
    public void A_tick_that_did_not_end_hides_nobody_from_the_next(uint first)
    {
        _world[1] = new Creature { Name = "wolf" };
        _world[2] = new Creature { Name = "fox" };
        _world[3] = new Creature { Name = "hen" };
        Tick([1, 2, 3]);
        _changes.Clear();
        _view.Begin(_changes);
        _view.See(first, _world[first]);

        _world[1].X = 5;
        Assert.True(Tick([3, 1]));
        _world[3].X = 6;
        Assert.True(Tick([3, 1]));

        Assert.Equal(["1: wolf 5 0", "3: hen 6 0"], _copies.Texts());
        Assert.Equal((2, 0), (_view.Count, _copies.Refused));
    }

    [Theory]
    [InlineData(1u)]
    [InlineData(100u)] // more than are removed at once
    public void What_was_told_in_a_tick_that_did_not_end_is_told_again(uint count)
    {
        _world[0] = new Creature { Name = "wolf" };
        Tick([0]);
        for (uint id = 1; id <= count; id++)
            _world[id] = new Creature { Name = $"creature {id}" };
        uint[] all = [.. _world.Keys];
        Tick([0]);
        _changes.Clear();
        _view.Begin(_changes);
        foreach (var id in all)
            _view.See(id, _world[id]);

        Assert.True(Tick(all));
        Assert.False(Tick(all));

        Assert.Equal(all.Select(id => $"{id}: {_world[id]}"), _copies.Texts());
        Assert.Equal((all.Length, 0), (_view.Count, _copies.Refused));
    }

    [Fact]
    public void What_changed_of_known_entities_in_ticks_that_did_not_end_is_told_in_the_next_that_does()
    {
        _world[1] = new Creature { Name = "wolf" };
        _world[2] = new Creature { Name = "fox" };
        _world[3] = new Creature { Name = "hen" };
        Tick([1, 2, 3]);
        _world[1].X = 5;
        _world[2].X = 6;
        var owl = new Creature { Name = "a half: \ud800" };
        Abandon(1, 2); // of whom one was seen before the tick broke off, and the other wasn't
        _world[3].X = 7;
        Abandon(3, 1);

        owl.Name = "owl";
        _world[4] = owl;
        Assert.True(Tick([1, 2, 4])); // 3 is seen no more
        Assert.Equal(["1: wolf 5 0", "2: fox 6 0", "4: owl 0 0"], _copies.Texts());
        Assert.False(Tick([1, 2, 4]));
        Assert.Equal((3, 0), (_view.Count, _copies.Refused));

        void Abandon(uint seen, uint unseen)
        {
            _changes.Clear();
            Assert.True(_changes.Collect(seen, _world[seen]) | _changes.Collect(unseen, _world[unseen]));
            _view.Begin(_changes);
            _view.See(seen, _world[seen]);
            Assert.Throws<EncoderFallbackException>(() => _view.See(4, owl));
        }
    }

    [Fact]
    public void An_entity_that_could_not_be_written_leaves_nothing_behind_and_is_told_once_it_can_be()
    {
        _world[1] = new Creature { Name = "wolf" };
        _world[2] = new Creature { X = 4, Name = "a half: \ud800" }; // what came before the name is written by then
        _world[3] = new Creature { Name = "hen" };
        _changes.Clear();
        _view.Begin(_changes);
        _view.See(1, _world[1]);
        for (var i = 0; i < PayloadWriter.MaxDepth; i++)
            Assert.Throws<EncoderFallbackException>(() => _view.See(2, _world[2]));
        _view.See(3, _world[3]);
        Assert.True(_view.TryEnd(out var update));
        _copies.Receive(update);
        Assert.Equal(["1: wolf 0 0", "3: hen 0 0"], _copies.Texts());
        Assert.Equal((2, 0), (_view.Count, _copies.Refused));

        _world[2].Name = "fox";
        Assert.True(Tick([1, 2, 3]));

        Assert.Equal(["1: wolf 0 0", "2: fox 4 0", "3: hen 0 0"], _copies.Texts());
        Assert.Equal((3, 0), (_view.Count, _copies.Refused));
    }

    [Fact]
    public void A_view_that_is_reset_tells_all_again()
    {
        _world[1] = new Creature { Name = "wolf" };
        Tick([1]);

        _view.Reset();

        Assert.True(Tick([1]));
    }

    [Fact]
    public void Calls_out_of_turn_say_so()
    {
        Assert.Throws<InvalidOperationException>(() => _view.See(1, new Creature()));
        Assert.Throws<InvalidOperationException>(() => _view.TryEnd(out _));
    }

    private bool Tick(uint[] seen)
    {
        _changes.Clear();
        foreach (var (id, creature) in _world)
            _changes.Collect(id, creature);
        _view.Begin(_changes);
        foreach (var id in seen)
            _view.See(id, _world[id]);
        if (!_view.TryEnd(out var update))
            return false;
        _copies.Receive(update);
        return true;
    }
}
