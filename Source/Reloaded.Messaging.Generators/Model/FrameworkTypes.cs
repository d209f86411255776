namespace Reloaded.Messaging.Generators.Model;

/// <summary>A type of the framework that travels as numbers: how it is taken apart and put together.</summary>
/// <param name="Code">Its code in shapes.</param>
/// <param name="Size">The size on the wire, in bytes.</param>
/// <param name="Parts">The C# expressions of its numbers, of a variable <c>value</c>.</param>
/// <param name="PartType">The C# type of each number.</param>
/// <param name="Check">A C# condition under which the numbers, <c>p0</c> and <c>p1</c>, are such a value; <c>null</c> if any numbers are.</param>
/// <param name="Make">The C# expression that makes the value of the numbers.</param>
internal sealed record PartsCode(string Code, int Size, string[] Parts, string PartType, string? Check, string Make)
{
    private static readonly string[] s_halves = ["(ulong)value", "(ulong)(value >> 64)"];

    /// <summary>Returns the parts of a type, or <c>null</c> for all other types.</summary>
    public static PartsCode? Find(string type) => type switch
    {
        "System.DateOnly" => new("dd", 4, ["value.DayNumber"], "int", "(uint)p0 <= 3652058u", "global::System.DateOnly.FromDayNumber(p0)"),
        "System.TimeOnly" => new("tt", 8, ["value.Ticks"], "long", "(ulong)p0 < 864000000000UL", "new global::System.TimeOnly(p0)"),
        "System.Int128" => new("i16", 16, s_halves, "ulong", null, "new global::System.Int128(p1, p0)"),
        "System.UInt128" => new("u16", 16, s_halves, "ulong", null, "new global::System.UInt128(p1, p0)"),
        _ => null,
    };
}
