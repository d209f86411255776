namespace Reloaded.Messaging;

/// <summary>The layout of a generated message as one hash per field, which both sides compare during the handshake.</summary>
/// <remarks>
/// A hash covers the name and the type of a field and all fields before it. Messages with appended fields are therefore equal up to the end of the
/// shorter one, and the first field that differs is known. In a version-tolerant message, a hash covers the type alone, because the number
/// identifies the field. A nested message is represented by its id and has a separate shape; <see cref="Layout"/> describes what the hashes leave out. docs/specification/binary-format.md specifies both.
/// </remarks>
public sealed class MessageShape
{
    private readonly string[] _names;
    private readonly ulong[] _fields;
    private readonly Func<MessageContract[]>? _nested;
    private MessageContract[]? _contracts;

    /// <summary>Creates a shape. Called by generated code.</summary>
    /// <param name="names">The names of the fields, in the order of their numbers.</param>
    /// <param name="fields">One entry per field: the number in the upper 32 bits, and the hash.</param>
    /// <param name="layout">The layout; <c>null</c> if it is not known.</param>
    /// <param name="nested">Returns the contracts of the messages inside, in the order in which the layout numbers them; <c>null</c> for none. Called when the layout is first used.</param>
    public MessageShape(string[] names, ulong[] fields, string? layout = null, Func<MessageContract[]>? nested = null)
    {
        ArgumentNullException.ThrowIfNull(names);
        ArgumentNullException.ThrowIfNull(fields);
        if (names.Length != fields.Length)
            Throw.ArgumentOutOfRange(nameof(fields), fields.Length, $"{names.Length} names need as many fields");
        _names = names;
        _fields = fields;
        Layout = layout;
        _nested = nested;
    }

    /// <summary>One entry per field: the number in the upper 32 bits, and the hash. Ascending.</summary>
    public ReadOnlySpan<ulong> Fields => _fields;

    /// <summary>The names and types of the fields, including the members of enums, structs and tuples, as text; <c>null</c> if they are not known. docs/specification/binary-format.md specifies it.</summary>
    /// <remarks>The sign <c>@</c> and a number stand for a message inside: an index in <see cref="Nested"/>.</remarks>
    public string? Layout { get; }

    /// <summary>The contracts of the messages inside, in the order in which <see cref="Layout"/> numbers them.</summary>
    public ReadOnlySpan<MessageContract> Nested => _nested is null ? default : (_contracts ??= _nested());

    /// <summary>Returns the name of a field.</summary>
    /// <param name="index">The index of the field in <see cref="Fields"/>.</param>
    public string GetName(int index) => _names[index];

    /// <summary>Compares this shape with the fields of the remote side.</summary>
    /// <param name="other">The remote side's <see cref="Fields"/>, ascending by number. The values are untrusted.</param>
    /// <returns>The index in <see cref="Fields"/> of the first common field that differs, or -1 if each side can read the other.</returns>
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
