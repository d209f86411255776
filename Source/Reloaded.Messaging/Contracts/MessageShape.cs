using System;

namespace Reloaded.Messaging;

/// <summary>What a generated message looks like on the wire, as one hash a field, for two ends to compare when they meet.</summary>
/// <remarks>
/// A hash covers a field's name and type, and all fields before it: so messages to which fields were appended compare as equal up to the
/// shorter one's end, and the first field that differs is known. In a version-tolerant message it covers the type alone, since the number says
/// which field it is. A nested message counts by its id; it has a shape of its own. How it is made: docs/binary-format.md.
/// </remarks>
public sealed class MessageShape
{
    private readonly string[] _names;
    private readonly ulong[] _fields;

    /// <summary>Made by generated code.</summary>
    /// <param name="names">The fields' names, in the order of their numbers.</param>
    /// <param name="fields">For each its number, in the upper half, and its hash.</param>
    public MessageShape(string[] names, ulong[] fields)
    {
        ArgumentNullException.ThrowIfNull(names);
        ArgumentNullException.ThrowIfNull(fields);
        if (names.Length != fields.Length)
            Throw.ArgumentOutOfRange(nameof(fields), fields.Length, $"{names.Length} names need as many fields");
        _names = names;
        _fields = fields;
    }

    /// <summary>For each field its number, in the upper 32 bits, and its hash. Ascending.</summary>
    public ReadOnlySpan<ulong> Fields => _fields;

    /// <summary>The field's name.</summary>
    /// <param name="index">Its place in <see cref="Fields"/>.</param>
    public string GetName(int index) => _names[index];

    /// <summary>Compares with the other end's fields.</summary>
    /// <param name="other">The other end's <see cref="Fields"/>, ascending by number; bytes from anywhere.</param>
    /// <returns>The place in <see cref="Fields"/> of the first that both have and that differs; -1 if there is none, and each can read the other.</returns>
    public int FindDifference(ReadOnlySpan<ulong> other)
    {
        var k = 0;
        for (var i = 0; i < _fields.Length; i++)
        {
            var number = _fields[i] >> 32;
            while (k < other.Length && other[k] >> 32 < number)
                k++;
            if (k < other.Length && other[k] >> 32 == number && other[k] != _fields[i])
                return i;
        }

        return -1;
    }
}
