#pragma warning disable CS0169, CS0649, CA1823, IDE0051, IDE0044, CA1720, CA1034 // fields that are only laid out, named after what they are

using System.Numerics;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Tests.Serialization;

/// <summary>Structs that can and can't be sent as their own bytes.</summary>
internal static unsafe class BlittableStructs
{
    public enum Small : byte
    {
        None,
        Some,
    }

    public struct Empty;

    public struct PaddedBetween { public byte Early; public int Late; }

    public struct PaddedAtEnd { public int First; public byte Last; }

    public struct PaddedInside { public long Before; public PaddedBetween Inner; public long After; }

    public struct WithNint { public long Before; public nint Handle; }

    public struct WithNuint { public long Before; public nuint Size; }

    public struct WithPointer { public long Before; public int* Target; }

    public struct WithFunctionPointer { public long Before; public delegate*<int, void> Callback; }

    public struct WithBool { public byte Before; public bool Flag; }

    public struct WithNestedBool { public int Before; public Flags Nested; }

    public struct Flags { public short Number; public byte Small; public bool Flag; }

    public struct WithDate { public long Before; public DateTime When; }

    public struct WithNullable { public long Before; public long? Maybe; }

    public struct WithTuple { public long Before; public (int A, int B) Pair; }

    public struct WithVector { public Vector<float> Wide; }

    [StructLayout(LayoutKind.Explicit)]
    public struct ExplicitWithGap { [FieldOffset(0)] public int First; [FieldOffset(8)] public int Second; }

    [StructLayout(LayoutKind.Sequential, Size = 16)]
    public struct LargerThanItsFields { public int Only; }

    public struct WithFixedBools { public fixed bool Answers[4]; }

    public struct WithEmpty { public byte Before; public Empty Nothing; }

    [StructLayout(LayoutKind.Sequential, Pack = 1)]
    public struct Packed { public byte First; public long Second; public short Third; }

    [StructLayout(LayoutKind.Explicit)]
    public struct ExplicitWithoutGap { [FieldOffset(4)] public int Second; [FieldOffset(0)] public int First; }

    [StructLayout(LayoutKind.Explicit)]
    public struct Union { [FieldOffset(0)] public long Whole; [FieldOffset(0)] public float Low; [FieldOffset(4)] public Small High; }

    public struct WithFixedBuffer { public short Count; public fixed short Values[7]; }

    public struct WithInlineArray { public int Count; public Five Values; }

    [InlineArray(5)]
    public struct Five { private int _first; }

    public struct Nested { public Packed First; public byte Second; public short Third; public short Fourth; }

    public struct Many
    {
        public Guid Id;
        public TimeSpan Age;
        public double Double;
        public float Single;
        public char Letter;
        public Half Half;
        public int Day;
        public DayOfWeek Weekday;
        public ushort Number;
        public Small Enum;
        public sbyte Signed;
        public uint Last;
    }

    public struct NumberAndId { public int Number; public Guid Id; }

    public struct Vectors { public Vector3 Position; public float Pad; public Quaternion Rotation; }

    public struct Generic<T>
        where T : unmanaged
    {
        public T First;
        public T Second;
    }
}
