using Reloaded.Messaging.Games;

namespace Reloaded.Messaging.Benchmarks.Game;

/// <summary>A creature with the fields that a world sends. It records its changes.</summary>
public sealed class World
{
    public World(int creatures)
    {
        Creatures = new Creature[creatures];
        for (var i = 0; i < creatures; i++)
            Creatures[i] = new Creature((uint)i + 1) { X = i, Y = 1, Z = 2, Health = 100, Power = 50, Level = 3 };
    }

    public Creature[] Creatures { get; }

    /// <summary>Changes every n-th creature.</summary>
    public void Change(int every)
    {
        for (var i = 0; every > 0 && i < Creatures.Length; i += every)
            Creatures[i].Health ^= 1;
    }

    public sealed class Creature(uint id) : ITracked
    {
        private float _x, _y, _z;
        private int _health, _power, _level;

        public uint Id => id;

        public float X { get => _x; set => Set(ref _x, value, 1); }

        public float Y { get => _y; set => Set(ref _y, value, 2); }

        public float Z { get => _z; set => Set(ref _z, value, 4); }

        public int Health { get => _health; set => Set(ref _health, value, 8); }

        public int Power { get => _power; set => Set(ref _power, value, 16); }

        public int Level { get => _level; set => Set(ref _level, value, 32); }

        public uint AllFields => 63;

        public uint ChangedFields { get; set; }

        public void WriteFields(uint fields, MessageBuffer buffer)
        {
            if ((fields & 1) != 0)
                buffer.WriteFixed(_x);
            if ((fields & 2) != 0)
                buffer.WriteFixed(_y);
            if ((fields & 4) != 0)
                buffer.WriteFixed(_z);
            if ((fields & 8) != 0)
                buffer.WriteFixed(_health);
            if ((fields & 16) != 0)
                buffer.WriteFixed(_power);
            if ((fields & 32) != 0)
                buffer.WriteFixed(_level);
        }

        public bool TryReadFields(uint fields, ref PayloadReader reader) =>
            ((fields & 1) == 0 || reader.TryReadFixed(out _x)) &&
            ((fields & 2) == 0 || reader.TryReadFixed(out _y)) &&
            ((fields & 4) == 0 || reader.TryReadFixed(out _z)) &&
            ((fields & 8) == 0 || reader.TryReadFixed(out _health)) &&
            ((fields & 16) == 0 || reader.TryReadFixed(out _power)) &&
            ((fields & 32) == 0 || reader.TryReadFixed(out _level));

        private void Set<T>(ref T field, T value, uint bit)
            where T : struct, System.IEquatable<T>
        {
            if (field.Equals(value))
                return;
            field = value;
            ChangedFields |= bit;
        }
    }
}
