using System;
using Reloaded.Messaging;
using Reloaded.Messaging.Games;

namespace GameServer.Worlds;

/// <summary>A creature of the world; players are creatures too. It records which of its fields changed.</summary>
public sealed class Creature(uint id) : ITracked
{
    private float _x;
    private float _y;
    private int _health;

    public uint Id => id;

    public float X { get => _x; set => Set(ref _x, value, 1); }

    public float Y { get => _y; set => Set(ref _y, value, 2); }

    public int Health { get => _health; set => Set(ref _health, value, 4); }

    /// <summary>The movement of the creature in one tick. It is not sent to clients.</summary>
    public (float X, float Y) Step { get; set; }

    public uint AllFields => 7;

    public uint ChangedFields { get; set; }

    public bool IsNear(Creature other, float reach)
    {
        var (x, y) = (_x - other._x, _y - other._y);
        return (x * x) + (y * y) <= reach * reach;
    }

    /// <summary>A number that depends on all fields that are sent to clients.</summary>
    public ulong Fingerprint => (((id * 31UL) + BitConverter.SingleToUInt32Bits(_x)) * 0x9E3779B97F4A7C15) ^ (BitConverter.SingleToUInt32Bits(_y) * 0xC2B2AE3D27D4EB4F) ^ (ulong)_health;

    public void WriteFields(uint fields, MessageBuffer buffer)
    {
        if ((fields & 1) != 0)
            buffer.WriteFixed(_x);
        if ((fields & 2) != 0)
            buffer.WriteFixed(_y);
        if ((fields & 4) != 0)
            buffer.WriteFixed(_health);
    }

    public bool TryReadFields(uint fields, ref PayloadReader reader) =>
        ((fields & 1) == 0 || reader.TryReadFixed(out _x)) &&
        ((fields & 2) == 0 || reader.TryReadFixed(out _y)) &&
        ((fields & 4) == 0 || reader.TryReadFixed(out _health));

    private void Set<T>(ref T field, T value, uint bit)
        where T : struct, IEquatable<T>
    {
        if (field.Equals(value))
            return;
        field = value;
        ChangedFields |= bit;
    }
}
