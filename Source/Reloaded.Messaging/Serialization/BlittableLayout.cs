using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Decides whether the memory of a struct has the same meaning in every process, and names the first field that prevents it.</summary>
/// <remarks>
/// Fields are laid out like the runtime does: each at a multiple of its alignment or of Pack, whichever is smaller, or at its FieldOffset.
/// A byte that belongs to no field is padding: its position differs between 32-bit and 64-bit processes, and it would send unrelated memory.
/// </remarks>
internal static class BlittableLayout
{
    /// <summary>Checks a struct once, when its serializer is created.</summary>
    /// <returns>The size of the payload: <paramref name="size"/>, or 0 for a struct without fields.</returns>
    public static int Check(Type type, int size)
    {
        if (LeafSize(type) == 0 && GetFields(type).Length == 0)
            return 0;

        RefuseUnstableFields(type, type.Name);

        // The layout computed here is the 64-bit one. A 32-bit process may pack tighter, which is a gap there too.
        var covered = new bool[Math.Max(size, SizeOf(type))];
        Cover(type, type.Name, covered, 0);
        var gap = Array.IndexOf(covered, false);
        if (gap >= 0)
            throw Refuse(type, type.Name, $"has padding at byte {gap} of {size}; {Neighbour(type, gap)}. Reorder or add fields until none is left, or set StructLayout's Pack to 1");
        return size;
    }

    private static void Cover(Type type, string path, bool[] covered, int start)
    {
        var leaf = LeafSize(type);
        if (leaf != 0)
        {
            covered.AsSpan(start, leaf).Fill(true);
            return;
        }

        var repeat = InlineArrayLength(type);
        foreach (var field in Place(type))
        {
            for (var i = 0; i < repeat; i++)
            {
                var fixedBuffer = field.Info.GetCustomAttribute<FixedBufferAttribute>();
                var length = fixedBuffer?.Length ?? 1;
                var element = fixedBuffer?.ElementType ?? field.Info.FieldType;
                var stride = SizeOf(element);
                for (var k = 0; k < length; k++)
                    Cover(element, $"{path}.{field.Info.Name}", covered, start + field.Offset + (((i * length) + k) * stride));
            }
        }
    }

    /// <summary>Checks the types before the layout, because the fields of a bool or a pointer refer to their own type, and the error needs the whole path.</summary>
    private static void RefuseUnstableFields(Type type, string path)
    {
        RefuseUnstable(type, path);
        if (LeafSize(type) != 0)
            return;

        var fields = GetFields(type);
        if (fields.Length == 0 && !RuntimeFeature.IsDynamicCodeCompiled)
            throw Refuse(type, path, "has no metadata of its fields in this natively compiled program, so its layout cannot be checked. Mark the message with [Message], whose layout is checked by the compiler");
        foreach (var field in fields)
            RefuseUnstableFields(field.GetCustomAttribute<FixedBufferAttribute>()?.ElementType ?? field.FieldType, $"{path}.{field.Name}");
    }

    private static void RefuseUnstable(Type type, string path)
    {
        if (type == typeof(bool))
            throw Refuse(type, path, "is a bool, whose byte may be other than 0 or 1 when it comes from outside. Use a byte, or an enum of bytes");
        if (type == typeof(nint) || type == typeof(nuint))
            throw Refuse(type, path, OfProcess("long or ulong"));
        if (type == typeof(decimal))
            throw Refuse(type, path, "is a decimal, whose bytes may be no number when they come from outside, and then fail where they are used. Send its four ints from decimal.GetBits and check them");
        if (FrameworkRule(type) is { } rule)
            throw Refuse(type, path, rule);
        if (type.IsPointer || (type.BaseType is null && !type.IsInterface)) // a function pointer has no base type
            throw Refuse(type, path, "is a pointer, which means nothing in another process. Send what it points to");
        if (!type.IsValueType)
            throw Refuse(type, path, "is a reference. Use a serializer that follows references, such as JSON");
        if (type.IsGenericType && type.Namespace == "System.Numerics" && type.Name == "Vector`1")
            throw Refuse(type, path, "is as wide as the processor's registers. Use Vector128 or an array of numbers");
        if (LeafSize(type) == 0 && type.IsAutoLayout)
            throw Refuse(type, path, "has an automatic layout, which the runtime orders as it likes. Mark it [StructLayout(LayoutKind.Sequential)], or send its parts as numbers");
    }

    /// <summary>Returns the problem of a framework struct that is laid out like a number. By name, because older targets lack these types.</summary>
    private static string? FrameworkRule(Type type) => type.FullName switch
    {
        "System.DateOnly" => "is a DateOnly, whose bytes may be no date when they come from outside. Send DateOnly.DayNumber and check it",
        "System.TimeOnly" => "is a TimeOnly, whose bytes may be no time when they come from outside. Send TimeOnly.Ticks and check them",
        "System.Text.Rune" => "is a Rune, whose bytes may be no character when they come from outside. Send Rune.Value and check it",
        "System.Runtime.InteropServices.NFloat" => OfProcess("float or double"),
        "System.Runtime.InteropServices.CLong" => OfPlatform("long"),
        "System.Runtime.InteropServices.CULong" => OfPlatform("ulong"),
        _ => null,
    };

    private static string OfProcess(string instead) => "is as wide as the process, 4 bytes in a 32-bit game and 8 in a 64-bit tool. Use " + instead;

    private static string OfPlatform(string instead) => "is as wide as the platform's long, 4 bytes on Windows and up to 8 elsewhere. Use " + instead;

    private static (FieldInfo Info, int Offset)[] Place(Type type)
    {
        var fields = GetFields(type);
        var placed = new (FieldInfo, int)[fields.Length];
        var pack = type.StructLayoutAttribute is { Pack: > 0 } layout ? layout.Pack : 8;
        var next = 0;
        for (var i = 0; i < fields.Length; i++)
        {
            var offset = fields[i].GetCustomAttribute<FieldOffsetAttribute>()?.Value;
            if (offset is null)
            {
                var alignment = Math.Min(AlignmentOf(fields[i].FieldType), pack);
                offset = (next + alignment - 1) / alignment * alignment;
            }

            placed[i] = (fields[i], offset.Value);
            next = offset.Value + SizeOf(fields[i]);
        }

        return placed;
    }

    private static int SizeOf(FieldInfo field) =>
        field.GetCustomAttribute<FixedBufferAttribute>() is { } buffer ? buffer.Length * SizeOf(buffer.ElementType) : SizeOf(field.FieldType);

    private static int SizeOf(Type type)
    {
        var leaf = LeafSize(type);
        if (leaf != 0)
            return leaf;

        var end = 0;
        var alignment = 1;
        foreach (var field in Place(type))
        {
            end = Math.Max(end, field.Offset + SizeOf(field.Info));
            alignment = Math.Max(alignment, AlignmentOf(field.Info.FieldType));
        }

        if (type.StructLayoutAttribute is { } layout)
        {
            alignment = Math.Min(alignment, layout.Pack > 0 ? layout.Pack : 8);
            end = Math.Max(end, layout.Size);
        }

        var rounded = (Math.Max(end, 1) + alignment - 1) / alignment * alignment;
        return rounded * InlineArrayLength(type);
    }

    private static int AlignmentOf(Type type)
    {
        var leaf = LeafSize(type);
        if (leaf != 0)
            return type == typeof(Guid) ? 4 : Math.Min(leaf, 8);

        var alignment = 1;
        foreach (var field in GetFields(type))
            alignment = Math.Max(alignment, AlignmentOf(field.FieldType));
        return type.StructLayoutAttribute is { Pack: > 0 } layout ? Math.Min(alignment, layout.Pack) : alignment;
    }

    private static int LeafSize(Type type)
    {
        if (type.IsEnum)
            type = Enum.GetUnderlyingType(type);
        return Type.GetTypeCode(type) switch
        {
            TypeCode.Byte or TypeCode.SByte => 1,
            TypeCode.Int16 or TypeCode.UInt16 or TypeCode.Char => 2,
            TypeCode.Int32 or TypeCode.UInt32 or TypeCode.Single => 4,
            TypeCode.Int64 or TypeCode.UInt64 or TypeCode.Double => 8,
            _ => type == typeof(Guid) ? 16 : type == typeof(TimeSpan) ? 8 : 0,
        };
    }

    private static int InlineArrayLength(Type type)
    {
        foreach (var attribute in type.GetCustomAttributesData())
        {
            if (attribute.AttributeType.FullName == "System.Runtime.CompilerServices.InlineArrayAttribute")
                return (int)attribute.ConstructorArguments[0].Value!;
        }

        return 1;
    }

    [UnconditionalSuppressMessage(
        "Trimming",
        "IL2070",
        Justification = "The annotation on T keeps the fields of T. A nested struct whose fields have no metadata is refused.")]
    private static FieldInfo[] GetFields(Type type)
    {
        var fields = type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic);
        if (RuntimeFeature.IsDynamicCodeCompiled) // a natively compiled program has no tokens; it returns the fields in the order of their declaration
            Array.Sort(fields, static (a, b) => a.MetadataToken.CompareTo(b.MetadataToken));
        return fields;
    }

    private static string Neighbour(Type type, int gap)
    {
        var before = "no field comes before it";
        foreach (var field in Place(type))
        {
            if (field.Offset <= gap)
                before = $"it follows field '{field.Info.Name}' ({field.Info.FieldType.Name} at byte {field.Offset})";
        }

        return before;
    }

    private static NotSupportedException Refuse(Type type, string path, string rule) =>
        new($"{path} ({type}) cannot be sent as its memory: it {rule}.");
}
