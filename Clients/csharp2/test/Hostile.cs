// What a test calls with hostile bytes, by reflection.
using System;
using Reloaded.Messaging.Client;
using Reloaded.Messaging.Client.Messages;

internal static class Hostile
{
    public static int Size => Contracts.All.Length;

    /// <summary>Reads a payload. Returns whether it is valid.</summary>
    public static bool Read(int contract, byte[] payload)
    {
        var reader = new PayloadReader(payload, 0, payload.Length);
        Contracts.All[contract].UnpackObject(reader);
        return !reader.HasFailed;
    }

    public static int Find(int id) => Array.FindIndex(Contracts.All, one => one.Id == id);

    /// <summary>Adds multiples of a number, or keys with one hash. Returns how many keys share the bucket of an earlier one; -1 if the keys are refused.</summary>
    public static int CountCollisions(int count, int factor, bool haveOneHash) => haveOneHash ? Count<Equal>(count, i => new Equal { Number = i }) : Count<int>(count, i => unchecked(i * factor));

    /// <summary>Adds the positions of a square around zero, two numbers in one value of a type. Returns the same as <see cref="CountCollisions"/>.</summary>
    public static int CountSquare(int side, string type)
    {
        Func<int, int> x = i => i % side - side / 2, z = i => i / side - side / 2;
        Func<int, long> both = i => unchecked((long)x(i) << 32 | (uint)z(i));
        switch (type)
        {
            case "long":
                return Count(side * side, both);
            case "enum":
                return Count(side * side, i => (Wide)both(i));
            case "time":
                return Count(side * side, i => new TimeSpan(both(i)));
            case "guid":
                return Count(side * side, i => new Guid(x(i), 0, 0, BitConverter.GetBytes((long)z(i))));
            case "double":
                return Count(side * side, i => BitConverter.Int64BitsToDouble(both(i) & long.MaxValue >> 2));
            default:
                return Count(side * side, i => (both(i), 7));
        }
    }

    private enum Wide : long
    {
    }

    private static int Count<T>(int count, Func<int, T> create)
    {
        var keys = new KeyComparer<T>(count);
        var buckets = new bool[1 << 17];
        var collisions = 0;
        for (var i = 0; i < count; i++)
        {
            var key = create(i);
            if (!keys.TryStep(key))
                return -1;
            if (keys.Comparer == null)
                continue;
            var bucket = keys.Comparer.GetHashCode(key) & buckets.Length - 1;
            collisions += buckets[bucket] ? 1 : 0;
            buckets[bucket] = true;
        }

        return collisions;
    }

    private sealed class Equal
    {
        public int Number;

        public override int GetHashCode() => Number * 0;

        public override bool Equals(object obj) => obj is Equal && ((Equal)obj).Number == Number;
    }

    /// <summary>Decompresses a block.</summary>
    public static bool Decompress(byte[] block, byte[] output) => Lz4.TryDecompress(block, 0, block.Length, output, output.Length);

    /// <summary>Returns the bits of a half after its conversion to a float and back.</summary>
    public static int Half(int bits) => Bits.ToHalf(Bits.FromHalf((ushort)bits));

    /// <summary>Returns the bits of the half of a float.</summary>
    public static int HalfOf(float value) => Bits.ToHalf(value);

    public static float OfHalf(int bits) => Bits.FromHalf((ushort)bits);
}
