using System.Collections;
using System.Collections.Immutable;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Text;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>Makes random values of messages, from their members: with many nulls and empty collections, with clustered keys, with deep messages, and with as many items as allowed.</summary>
internal sealed class ValueMaker
{
    private static readonly string[] s_letters = ["a", "Z", "0", " ", "\0", "\u00e9", "\u4f60", "\uFFFD", "\U0001F600"];

    private readonly NullabilityInfoContext _nullability = new();
    private readonly Dictionary<Type, MemberPlan> _plans = [];
    private readonly Random _random;
    private readonly double _nulls;
    private readonly bool _isCareless;
    private readonly int _deepest;
    private int _left;

    /// <param name="random">The source of chance.</param>
    /// <param name="items">The approximate number of values in a message.</param>
    public ValueMaker(Random random, int items)
    {
        _random = random;
        _left = items;
        _nulls = random.Next(4) switch { 0 => 0, 1 => 1, 2 => 0.95, _ => 0.3 };
        _deepest = random.Next(4) == 0 ? random.Next(62, 66) : random.Next(1, 6);
        _isCareless = random.Next(6) == 0;
    }

    public object Message(Type type) => Message(type, 0);

    /// <summary>A value with the bits of a number, of which keys are made: two numbers give two keys, as far as the type can hold them.</summary>
    public object Key(Type type, long number)
    {
        if (Nullable.GetUnderlyingType(type) is { } underlying)
            return Key(underlying, number);
        if (type.IsEnum)
            return Enum.ToObject(type, number);
        if (type == typeof(string))
            return number.ToString(System.Globalization.CultureInfo.InvariantCulture);
        if (Simple(type, number) is { } simple)
            return simple;
        if (typeof(ITuple).IsAssignableFrom(type))
            return Activator.CreateInstance(type, [.. type.GetGenericArguments().Select((item, i) => Part(item, number, i))])!;
        var plan = Plan(type);
        if (plan.Cases.Length > 0)
            return Key(plan.Cases[^1], number);
        return plan.Members.Length == 0 && plan.Parameters.Length == 0 ? plan.Make([]) : plan.Make([.. plan.Infos.Select((info, i) => Part(info.Type, number, plan.Infos.Length == 1 ? 1 : i))]);
    }

    /// <summary>A part of a key. The first part of several is the same in many keys, as the name of a map is.</summary>
    private object? Part(Type type, long number, int index) => index switch
    {
        _ when type.IsClass && type != typeof(string) && type.GetCustomAttribute<MessageAttribute>() is null => null,
        0 => type == typeof(long) ? number : Key(type, 7),
        1 => Splits(type) ? Key(type, (int)number) : Key(type, number),
        _ => Splits(type) ? Key(type, number >> 32) : null,
    };

    private static bool Splits(Type type) => type == typeof(int) || type == typeof(float);

    private object Message(Type type, int depth)
    {
        var plan = Plan(type);
        if (plan.Cases.Length > 0)
            return Message(plan.Cases[_random.Next(plan.Cases.Length)], depth);
        return plan.Make([.. plan.Infos.Select(info => Value(info, depth, isOuter: depth == 0))]);
    }

    private object? Value(NullabilityInfo info, int depth, bool isOuter)
    {
        var type = info.Type;
        _left--;
        var underlying = Nullable.GetUnderlyingType(type);
        if ((underlying is not null || (!type.IsValueType && info.ReadState == NullabilityState.Nullable)) && ((!isOuter && _random.NextDouble() < _nulls) || depth >= _deepest || _left < -1000))
            return null;
        if (!type.IsValueType && _isCareless && _random.Next(50) == 0 && !typeof(ITuple).IsAssignableFrom(type))
            return null;
        type = underlying ?? type;
        if (type.IsArray && type.GetArrayRank() > 1)
            return Table(type, info.ElementType!, depth, isOuter);
        if (type.IsArray)
            return ArrayOf(type.GetElementType()!, Items(info.ElementType!, depth, isOuter));
        if (type.IsGenericType)
        {
            var definition = type.GetGenericTypeDefinition();
            var arguments = info.GenericTypeArguments;
            if (definition == typeof(List<>))
                return Activator.CreateInstance(type, Items(arguments[0], depth, isOuter).ToArray(arguments[0].Type));
            if (definition == typeof(ImmutableArray<>) && _random.Next(5) == 0)
                return Activator.CreateInstance(type);
            if (definition == typeof(ReadOnlyMemory<>) || definition == typeof(Memory<>) || definition == typeof(ArraySegment<>))
                return Block(type, Items(arguments[0], depth, isOuter), definition != typeof(Memory<>));
            if (definition == typeof(Nullable<>) || definition == typeof(KeyValuePair<,>))
                return Activator.CreateInstance(type, [.. arguments.Select(argument => Value(argument, depth, false))]);
            if (definition == typeof(PriorityQueue<,>))
                return Heap(type, arguments, depth, isOuter);
            if (definition == typeof(HashSet<>))
                return Set(type, arguments[0], isOuter);
            if (definition == typeof(Dictionary<,>))
                return Map(type, arguments[0].Type, arguments[1], depth, isOuter);
            if (Implements(type, typeof(IReadOnlyDictionary<,>)) || Implements(type, typeof(IDictionary<,>)))
                return FrameworkValues.Make(type, Map(typeof(Dictionary<,>).MakeGenericType(type.GetGenericArguments()), arguments[0].Type, arguments[1], depth, isOuter), Comparer(arguments[0].Type));
            if (Implements(type, typeof(IReadOnlySet<>)) || Implements(type, typeof(ISet<>)) || Implements(type, typeof(IImmutableSet<>)))
                return FrameworkValues.Make(type, Set(typeof(HashSet<>).MakeGenericType(arguments[0].Type), arguments[0], isOuter), Comparer(arguments[0].Type));
            if (typeof(IEnumerable).IsAssignableFrom(type))
                return FrameworkValues.Make(type, ArrayOf(arguments[0].Type, Items(arguments[0], depth, isOuter)), null);
            if (typeof(ITuple).IsAssignableFrom(type))
                return Activator.CreateInstance(type, [.. arguments.Select(argument => Value(argument, depth, false))]);
        }

        if (type == typeof(string))
            return _random.NextDouble() < _nulls ? "" : Text();
        if (type == typeof(StringBuilder))
            return new StringBuilder(Text());
        if (type == typeof(BitArray))
            return new BitArray(_random.Next(100), _random.Next(2) == 0);
        if (type.IsEnum)
            return Enum.ToObject(type, _random.NextInt64());
        return FrameworkValues.Special(type, _random) ?? Simple(type, _random.NextInt64()) ?? Message(type, depth + 1);
    }

    private string Text() => string.Concat(Enumerable.Range(0, _random.Next(6)).Select(_ => s_letters[_random.Next(s_letters.Length)])) + (_isCareless && _random.Next(50) == 0 ? "\ud83d" : "");

    /// <summary>A comparer of another order or another equality; <c>null</c> for the default one.</summary>
    private object? Comparer(Type key) => _random.Next(2) == 0 ? null
        : key == typeof(string) ? _random.Next(4) switch { 0 => StringComparer.OrdinalIgnoreCase, 1 => StringComparer.InvariantCulture, 2 => new ReferenceOrder<string>(), _ => StringComparer.Ordinal }
        : Activator.CreateInstance((_random.Next(2) == 0 ? typeof(ReverseOrder<>) : typeof(ReferenceOrder<>)).MakeGenericType(key));

    private static bool Implements(Type type, Type definition) => type.GetInterfaces().Append(type).Any(one => one.IsGenericType && one.GetGenericTypeDefinition() == definition);

    /// <summary>An array; for some unions, an array of one of its types.</summary>
    private Array ArrayOf(Type type, List<object?> items)
    {
        if (type.IsValueType || items.Find(static item => item is not null)?.GetType() is not { IsValueType: false } only || only == type || _random.Next(2) == 0)
            return items.ToArray(type);
        return items.FindAll(item => item?.GetType() == only).ToArray(only);
    }

    private Array Table(Type type, NullabilityInfo item, int depth, bool isOuter)
    {
        var lengths = new int[type.GetArrayRank()];
        var left = Count(isOuter);
        for (var i = 0; i < lengths.Length; i++)
        {
            lengths[i] = i == lengths.Length - 1 ? left : (int)Math.Pow(left, _random.NextDouble());
            left /= Math.Max(1, lengths[i]);
        }

        if (_random.Next(5) == 0)
            lengths[_random.Next(lengths.Length)] = 0;
        var table = Array.CreateInstance(item.Type, lengths);
        var at = new int[lengths.Length];
        for (var i = 0; i < table.Length; i++)
        {
            for (var (k, rest) = (lengths.Length - 1, i); k >= 0; k--)
                (at[k], rest) = (rest % lengths[k], rest / lengths[k]);
            table.SetValue(Value(item, depth, false), at);
        }

        return table;
    }

    /// <summary>A part of an array, or a value that was never set.</summary>
    private object Block(Type type, List<object?> items, bool isReadOnly)
    {
        if (_random.Next(5) == 0)
            return Activator.CreateInstance(type)!;
        var item = type.GetGenericArguments()[0];
        var array = isReadOnly ? ArrayOf(item, items) : items.ToArray(item);
        var start = _random.Next(array.Length + 1);
        return Activator.CreateInstance(type, array, start, _random.Next(array.Length - start + 1))!;
    }

    private object Heap(Type type, NullabilityInfo[] arguments, int depth, bool isOuter)
    {
        var heap = Activator.CreateInstance(type)!;
        var add = type.GetMethod("Enqueue")!;
        for (var count = Math.Min(Count(isOuter), 5_000); count > 0; count--)
            add.Invoke(heap, [Value(arguments[0], depth, false), Value(arguments[1], depth, false)]);
        return heap;
    }

    private List<object?> Items(NullabilityInfo item, int depth, bool isOuter)
    {
        var items = new List<object?>();
        for (var count = Count(isOuter); count > 0; count--)
            items.Add(items.Count > 0 && _random.Next(20) == 0 ? items[^1] : Value(item, depth, false)); // one object may be in several places
        return items;
    }

    private object Set(Type type, NullabilityInfo item, bool isOuter)
    {
        var set = FrameworkValues.Make(type, Array.CreateInstance(item.Type, 0), Comparer(item.Type));
        var add = typeof(Adding<>).MakeGenericType(item.Type).GetMethod(nameof(Adding<int>.TryAdd))!.CreateDelegate<Func<object, object?, bool>>();
        if (Nullable.GetUnderlyingType(item.Type) is not null || item.ReadState == NullabilityState.Nullable)
            add(set, null);
        foreach (var key in Keys(item.Type, isOuter))
            add(set, key);
        return set;
    }

    private IDictionary Map(Type type, Type key, NullabilityInfo item, int depth, bool isOuter)
    {
        var map = (IDictionary)FrameworkValues.Make(type, Activator.CreateInstance(typeof(Dictionary<,>).MakeGenericType(type.GetGenericArguments()))!, Comparer(key));
        foreach (var one in Keys(key, isOuter))
        {
            if (!map.Contains(one))
                map.Add(one, Value(item, depth, false));
        }

        return map;
    }

    /// <summary>Keys in a row, multiples, squares around zero, or keys whose halves are equal.</summary>
    private IEnumerable<object> Keys(Type type, bool isOuter)
    {
        var count = Count(isOuter);
        var key = Nullable.GetUnderlyingType(type) ?? type;
        if (!key.IsPrimitive && !key.IsEnum && key.Namespace != nameof(System))
            count = Math.Min(count, 700); // each addition may compare all keys
        var (form, stride, side) = (_random.Next(6), _random.NextInt64(1, 100_000), Math.Max(1, (int)Math.Sqrt(count)));
        for (var i = 0; i < count; i++)
        {
            long x = (i % side) - (side / 2), z = (i / side) - (form % 2 * side / 2);
            yield return Key(type, form switch { 0 => i, 1 => i * stride, 2 or 3 => (x << 32) | (uint)z, 4 => i * 0x100000001, _ => _random.NextInt64() });
        }
    }

    private int Count(bool isOuter)
    {
        if (_left <= 0 && isOuter)
            return _random.Next(4);
        if (_left <= 0 || (!isOuter && _random.NextDouble() < _nulls))
            return 0;
        var count = isOuter && _random.Next(3) == 0 ? _left : (int)Math.Pow(Math.Min(_left, isOuter ? int.MaxValue : 8), _random.NextDouble());
        _left -= count / 2;
        return count;
    }

    private static object? Simple(Type type, long number) => type == typeof(DateTime) ? new DateTime((number & long.MaxValue) % DateTime.MaxValue.Ticks, DateTimeKind.Utc)
        : type == typeof(DateTimeOffset) ? new DateTimeOffset((number & long.MaxValue) % DateTime.MaxValue.Ticks, TimeSpan.Zero)
        : type == typeof(TimeSpan) ? new TimeSpan(number)
        : type == typeof(Guid) ? new Guid((int)number, 0, 0, BitConverter.GetBytes(number >> 32))
        : type == typeof(decimal) ? new decimal((int)number, 0, (int)(number >> 32), false, 3)
        : type == typeof(double) ? BitConverter.Int64BitsToDouble(number)
        : type == typeof(float) ? (float)number
        : type == typeof(Half) ? (Half)(number % 60_000)
        : type == typeof(bool) ? (number & 1) != 0
        : type == typeof(char) ? (char)number
        : type == typeof(Uri) ? new Uri($"my:{number}", UriKind.Absolute)
        : type == typeof(Version) ? new Version((int)(number & int.MaxValue), (int)(number >> 33 & int.MaxValue))
        : type == typeof(int) ? (int)(number ^ (number >> 32))
        : type == typeof(uint) ? (uint)(number ^ (number >> 32))
        : type == typeof(long) ? number
        : type == typeof(ulong) ? (ulong)number
        : type == typeof(short) ? (short)number
        : type == typeof(ushort) ? (ushort)number
        : type == typeof(byte) ? (byte)number
        : type == typeof(sbyte) ? (sbyte)number
        : FrameworkValues.Of(type, number);

    private MemberPlan Plan(Type type)
    {
        if (!_plans.TryGetValue(type, out var plan))
            _plans.Add(type, plan = new MemberPlan(type, _nullability));
        return plan;
    }

    /// <summary>The constructor and the members by which a message is made.</summary>
    private sealed class MemberPlan
    {
        private const BindingFlags All = BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic;

        private readonly ConstructorInfo? _constructor;
        private readonly Type _type;

        public MemberPlan(Type type, NullabilityInfoContext nullability)
        {
            _type = type;
            Cases = [.. type.GetCustomAttributes<MessageUnionAttribute>().Select(static one => one.Type)];
            var isPlain = type.IsValueType && type.GetCustomAttribute<MessageAttribute>() is null;
            _constructor = type.IsAbstract || isPlain ? null : type.GetConstructors(All).Where(one => one.GetParameters() is not [{ ParameterType: var copied }] || copied != type).OrderByDescending(static one => one.GetParameters().Length).FirstOrDefault();
            Parameters = _constructor?.GetParameters() ?? [];
            Members =
            [
                .. isPlain ? type.GetFields(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance) : [],
                .. isPlain ? [] : type.GetProperties(All).Where(one => one.SetMethod is not null && IsSent(one.GetMethod!.IsPublic, one)),
                .. isPlain ? [] : type.GetFields(All).Where(one => IsSent(one.IsPublic, one)),
            ];
            Infos =
            [
                .. Parameters.Select(nullability.Create),
                .. Members.Select(one => one is PropertyInfo property ? nullability.Create(property) : nullability.Create((FieldInfo)one)),
            ];
        }

        private bool IsSent(bool isPublic, MemberInfo one) => (isPublic || one.GetCustomAttribute<MessageIncludeAttribute>() is not null) && !Array.Exists(Parameters, parameter => string.Equals(parameter.Name, one.Name, StringComparison.OrdinalIgnoreCase));

        public Type[] Cases { get; }

        public ParameterInfo[] Parameters { get; }

        public MemberInfo[] Members { get; }

        public NullabilityInfo[] Infos { get; }

        public object Make(object?[] values)
        {
            var made = _constructor is null ? Activator.CreateInstance(_type)! : _constructor.Invoke(values[..Parameters.Length]);
            for (var i = 0; i < Members.Length; i++)
            {
                var value = values[Parameters.Length + i];
                if (Members[i] is PropertyInfo property)
                    property.SetValue(made, value);
                else
                    ((FieldInfo)Members[i]).SetValue(made, value);
            }

            return made;
        }
    }

    private static class Adding<T>
    {
        public static bool TryAdd(object set, object? item) => ((HashSet<T?>)set).Add((T?)item);
    }
}

/// <summary>Copies items into an array of their type.</summary>
internal static class ItemCopies
{
    public static Array ToArray(this List<object?> items, Type type)
    {
        var array = Array.CreateInstance(type, items.Count);
        for (var i = 0; i < items.Count; i++)
            array.SetValue(items[i], i);
        return array;
    }
}
