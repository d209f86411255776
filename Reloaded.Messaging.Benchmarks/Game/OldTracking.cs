namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>The entities that one client sees. Changes are found by comparing every field of every visible entity with a snapshot in every tick.</summary>
public sealed class OldTracking
{
    private readonly Dictionary<uint, Snapshot> _snapshots = [];
    private HashSet<uint> _visibleBefore = [];

    /// <returns>The number of entities that are new, changed or no longer visible.</returns>
    public long Update(World.Creature[] visible)
    {
        var visibleNow = new HashSet<uint>();
        var addedSet = new HashSet<uint>();
        var changedSet = new HashSet<uint>();
        var (added, changed, removed) = (new List<uint>(), new List<uint>(), new List<uint>());
        foreach (var creature in visible)
        {
            visibleNow.Add(creature.Id);
            if (!_snapshots.TryGetValue(creature.Id, out var before))
            {
                _snapshots.Add(creature.Id, new Snapshot(creature));
                if (addedSet.Add(creature.Id))
                    added.Add(creature.Id);
            }
            else if (before.TakeDifferences(creature) != 0 && changedSet.Add(creature.Id))
            {
                changed.Add(creature.Id);
            }
        }

        foreach (var id in _visibleBefore)
        {
            if (visibleNow.Contains(id))
                continue;
            removed.Add(id);
            _snapshots.Remove(id);
        }

        _visibleBefore = visibleNow;
        return added.Count + changed.Count + removed.Count;
    }

    private sealed class Snapshot(World.Creature of)
    {
        private float _x = of.X, _y = of.Y, _z = of.Z;
        private int _health = of.Health, _power = of.Power, _level = of.Level;

        public uint TakeDifferences(World.Creature now)
        {
            uint different = 0;
            if (_x != now.X)
                different |= 1;
            if (_y != now.Y)
                different |= 2;
            if (_z != now.Z)
                different |= 4;
            if (_health != now.Health)
                different |= 8;
            if (_power != now.Power)
                different |= 16;
            if (_level != now.Level)
                different |= 32;
            if (different == 0)
                return 0;
            (_x, _y, _z, _health, _power, _level) = (now.X, now.Y, now.Z, now.Health, now.Power, now.Level);
            return different;
        }
    }
}
