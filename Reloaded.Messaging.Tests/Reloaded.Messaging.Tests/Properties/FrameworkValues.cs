using System.Collections;
using System.Collections.Frozen;
using System.Collections.Immutable;
using System.Drawing;
using System.Linq;
using System.Net;
using System.Numerics;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;
using Reloaded.Messaging.Tests.Generated;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>Makes values of types of the framework.</summary>
internal static class FrameworkValues
{
    private static readonly Type[] s_factories = [typeof(ImmutableArray), typeof(ImmutableList), typeof(ImmutableQueue), typeof(ImmutableStack), typeof(ImmutableHashSet), typeof(ImmutableSortedSet), typeof(ImmutableDictionary), typeof(ImmutableSortedDictionary), typeof(FrozenSet), typeof(FrozenDictionary)];

    private static readonly string[] s_addresses = ["", "my:1", "/a", "a b", "http://host:8080/a b?c=%20d#e", "file:///a/b", "//host/a", "#f", "c:\\a b", "\\\\host\\share"];

    /// <summary>A value at the border of its type; <c>null</c> for other types, and in most cases.</summary>
    public static object? Special(Type type, Random random)
    {
        var which = random.Next(12);
        return type == typeof(Uri) ? NewUri(s_addresses[random.Next(s_addresses.Length)], random)
            : type == typeof(Version) ? random.Next(2) == 0 ? new Version(0, 0) : new Version(random.Next(), 1, 2, random.Next())
            : type == typeof(DateTime) && which < 6 ? new DateTime(which switch { 0 => 0, 1 => DateTime.MaxValue.Ticks, _ => random.NextInt64(TimeSpan.TicksPerDay, DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay) }, (DateTimeKind)(which % 3))
            : type == typeof(DateTimeOffset) && which < 6 ? new DateTimeOffset(random.NextInt64(TimeSpan.TicksPerDay, DateTime.MaxValue.Ticks - TimeSpan.TicksPerDay), TimeSpan.FromMinutes(random.Next(-840, 841)))
            : type == typeof(double) && which < 4 ? which switch { 0 => double.NaN, 1 => -0.0, 2 => BitConverter.Int64BitsToDouble(0x7FF0000000000001), _ => 0.0 }
            : type == typeof(float) && which < 3 ? which switch { 0 => float.NaN, 1 => -0f, _ => float.Epsilon }
            : type == typeof(decimal) && which < 6 ? new decimal(random.Next(4) * 1000, which == 0 ? -1 : 0, which == 1 ? -1 : 0, which % 2 == 0, (byte)random.Next(29))
            : type == typeof(Rectangle) ? new Rectangle(random.Next(), -1, 0, random.Next())
            : null;
    }

    /// <summary>A value with the bits of a number; <c>null</c> for all other types.</summary>
    public static object? Of(Type type, long number) => type == typeof(BigInteger) ? BigInteger.Pow(number, (int)(number & 3)) - 1
        : type == typeof(Complex) ? new Complex((int)number, BitConverter.Int64BitsToDouble(number))
        : type == typeof(Rune) ? new Rune((int)(number & 0x3FFF))
        : type == typeof(nint) ? (nint)number
        : type == typeof(nuint) ? (nuint)number
        : type == typeof(Int128) ? new Int128((ulong)number, (ulong)number * 31)
        : type == typeof(UInt128) ? new UInt128((ulong)number, 1)
        : type == typeof(Color) ? Color.FromArgb((int)number)
        : type == typeof(Point) ? new Point((int)number, (int)(number >> 32))
        : type == typeof(PointF) ? new PointF(number, float.NaN)
        : type == typeof(Size) ? new Size((int)number, 1)
        : type == typeof(SizeF) ? new SizeF(number, -0f)
        : type == typeof(RectangleF) ? new RectangleF(number, 1, 2, 3)
        : type == typeof(Index) ? new Index((int)(number & int.MaxValue), number < 0)
        : type == typeof(Range) ? new Range((int)(number & int.MaxValue), new Index((int)(number >> 32 & int.MaxValue), number < 0))
        : type == typeof(DateOnly) ? DateOnly.FromDayNumber((int)((number & long.MaxValue) % DateOnly.MaxValue.DayNumber))
        : type == typeof(TimeOnly) ? new TimeOnly((number & long.MaxValue) % TimeSpan.TicksPerDay)
        : type == typeof(IPAddress) ? (number & 1) == 0 ? new IPAddress(number & uint.MaxValue) : new IPAddress([.. BitConverter.GetBytes(number), .. BitConverter.GetBytes(~number)])
        : type == typeof(IPEndPoint) ? new IPEndPoint(new IPAddress(number & uint.MaxValue), (int)(number & 0xFFFF))
        : type == typeof(Tint) ? Tint.Of((int)number == -1 ? 0 : (int)number)
        : type == typeof(Texture) ? new Texture($"{number}")
        : type == typeof(Fine) ? new Fine((short)number, (short)(number >> 16))
        : null;

    /// <summary>Makes a collection of the items of another one, by a constructor or a factory of the framework.</summary>
    /// <param name="type">The type; an interface stands for one of the types that implement it.</param>
    /// <param name="items">The items.</param>
    /// <param name="comparer">The comparer of a set or a dictionary; <c>null</c> for the default one. It is not used if the type takes none of its kind.</param>
    public static object Make(Type type, object items, object? comparer)
    {
        var name = type.Name.Split('`')[0];
        if (type.IsInterface)
            name = name == "IImmutableSet" ? nameof(ImmutableHashSet) : name.Substring(1);
        if (Array.Find(s_factories, one => one.Name == name) is { } factory)
        {
            var methods = factory.GetMethods().Where(one => one.Name is "CreateRange" or "ToFrozenSet" or "ToFrozenDictionary" && one.GetGenericArguments().Length == type.GetGenericArguments().Length).Select(one => one.MakeGenericMethod(type.GetGenericArguments()));
            return Call(methods, type, items, comparer) ?? throw new InvalidOperationException($"{factory} makes no {type}");
        }

        return type.IsInstanceOfType(items) && (type.IsInterface || comparer is null) ? items : Call(type.GetConstructors(), type, items, comparer) ?? throw new InvalidOperationException($"{type} has no constructor for {items.GetType()}");
    }

    private static object? Call(IEnumerable<MethodBase> methods, Type type, object items, object? comparer)
    {
        foreach (var method in methods.OrderByDescending(one => one.GetParameters().Length == 2))
        {
            var taken = method.GetParameters();
            if (method is MethodInfo made && !type.IsAssignableFrom(made.ReturnType))
                continue;
            var at = Array.FindIndex(taken, one => one.ParameterType.IsInstanceOfType(items) && one.ParameterType != typeof(object));
            if (at < 0 || taken.Length > 2 || taken.Where((one, i) => i != at && !(comparer is null ? one.ParameterType.Name.EndsWith("Comparer`1", StringComparison.Ordinal) : one.ParameterType.IsInstanceOfType(comparer))).Any())
                continue;
            var arguments = taken.Select((_, i) => i == at ? items : comparer).ToArray();
            return method is ConstructorInfo constructor ? constructor.Invoke(arguments) : method.Invoke(null, arguments);
        }

        return null;
    }

    /// <summary>An address of any kind. A path of Windows is never a relative one, because its text is received as an absolute one.</summary>
    private static Uri NewUri(string text, Random random) =>
        Uri.TryCreate(text, (UriKind)random.Next(text.Contains('\\', StringComparison.Ordinal) ? 2 : 3), out var uri) ? uri : new Uri(text, UriKind.RelativeOrAbsolute);
}

/// <summary>The reverse of the default order, and the default equality.</summary>
internal sealed class ReverseOrder<T> : IComparer<T>, IEqualityComparer<T>
{
    public int Compare(T? x, T? y) => Comparer<T>.Default.Compare(y!, x!);

    public bool Equals(T? x, T? y) => EqualityComparer<T>.Default.Equals(x!, y!);

    public int GetHashCode(T one) => one is null ? 0 : one.GetHashCode();
}

/// <summary>Takes two values for equal only if they are shown in the same way, so more keys are different than for the default comparer.</summary>
internal sealed class ReferenceOrder<T> : IComparer<T>, IEqualityComparer<T>
{
    public int Compare(T? x, T? y) => string.CompareOrdinal(ValueText.Of(x), ValueText.Of(y));

    public bool Equals(T? x, T? y) => ValueText.Of(x) == ValueText.Of(y);

    public int GetHashCode(T one) => ValueText.Of(one).GetHashCode(StringComparison.Ordinal);
}
