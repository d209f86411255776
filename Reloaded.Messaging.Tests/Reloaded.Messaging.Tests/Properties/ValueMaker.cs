using System;
using System.Collections;
using System.Collections.Generic;
using System.Collections.Immutable;
using System.Linq;
using System.Reflection;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>Makes random values of messages, from their members: with many nulls and empty collections, with clustered keys, with deep messages, and with as many items as allowed.</summary>
internal sealed class ValueMaker
{
    private static readonly string[] s_letters = ["a", "Z", "0", " ", "\0", "\u00e9", "\u4f60", "\uFFFD", "\U0001F600"];

    private readonly NullabilityInfoContext _nullability = new();
    private readonly Dictionary<Type, MemberPlan> _plans = [];
    private readonly Random _random;
    private readonly double _nulls;
    private readonly int _deepest;
    private int _left;

    /// <param name="random">The source of chance.</param>
    /// <param name="items">The approximate number of values in a message.</param>
    public ValueMaker(Random random, int items)
    {
        _random = random;
        _left = items;
        _nulls = random.Next(4) switch { 0 => 0, 1 => 1, 2 => 0.95, _ => 0.3 };
        _deepest = random.Next(4) == 0 ? 63 : random.Next(1, 6);
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
        type = underlying ?? type;
        if (type.IsArray)
            return Items(info.ElementType!, depth, isOuter).ToArray(type.GetElementType()!);
        if (type.IsGenericType)
        {
            var definition = type.GetGenericTypeDefinition();
            var arguments = info.GenericTypeArguments;
            if (definition == typeof(List<>))
                return Activator.CreateInstance(type, Items(arguments[0], depth, isOuter).ToArray(arguments[0].Type));
            if (definition == typeof(IReadOnlyList<>))
                return Items(arguments[0], depth, isOuter).ToArray(arguments[0].Type);
            if (definition == typeof(ReadOnlyMemory<>))
                return Activator.CreateInstance(type, Items(arguments[0], depth, isOuter).ToArray(arguments[0].Type));
            if (definition == typeof(ImmutableArray<>))
                return typeof(ImmutableArray).GetMethods().Single(static method => method is { Name: "Create", IsGenericMethod: true } && method.GetParameters() is [{ ParameterType.IsArray: true }])
                    .MakeGenericMethod(arguments[0].Type).Invoke(null, [Items(arguments[0], depth, isOuter).ToArray(arguments[0].Type)]);
            if (definition == typeof(HashSet<>))
                return Set(type, arguments[0], isOuter);
            if (definition == typeof(Dictionary<,>))
                return Map(type, arguments[0].Type, arguments[1], depth, isOuter);
            if (typeof(IDictionary).IsAssignableFrom(type) || definition == typeof(IReadOnlyDictionary<,>) || definition == typeof(IDictionary<,>))
                return Made(type, Map(typeof(Dictionary<,>).MakeGenericType(type.GetGenericArguments()), arguments[0].Type, arguments[1], depth, isOuter));
            if (definition == typeof(ISet<>) || definition == typeof(SortedSet<>))
                return Made(type, Set(typeof(HashSet<>).MakeGenericType(arguments[0].Type), arguments[0], isOuter));
            if (typeof(IEnumerable).IsAssignableFrom(type))
                return Made(type, Items(arguments[0], depth, isOuter).ToArray(arguments[0].Type));
            if (typeof(ITuple).IsAssignableFrom(type))
                return Activator.CreateInstance(type, [.. arguments.Select(argument => Value(argument, depth, false))]);
        }

        if (type == typeof(string))
            return _random.NextDouble() < _nulls ? "" : string.Concat(Enumerable.Range(0, _random.Next(6)).Select(_ => s_letters[_random.Next(s_letters.Length)]));
        if (type == typeof(Uri))
            return new Uri(_random.NextDouble() < _nulls ? "" : $"my:{_random.Next()}", UriKind.RelativeOrAbsolute);
        if (type == typeof(Version))
            return _random.Next(2) == 0 ? new Version(0, 0) : new Version(_random.Next(), 1, 2, _random.Next());
        if (type.IsEnum)
            return Enum.ToObject(type, _random.NextInt64());
        return Simple(type, _random.NextInt64()) ?? Message(type, depth + 1);
    }

    private static object Made(Type type, object items) => type.IsInterface ? items : Activator.CreateInstance(type, items)!;

    private List<object?> Items(NullabilityInfo item, int depth, bool isOuter)
    {
        var items = new List<object?>();
        for (var count = Count(isOuter); count > 0; count--)
            items.Add(Value(item, depth, false));
        return items;
    }

    private object Set(Type type, NullabilityInfo item, bool isOuter)
    {
        var set = Activator.CreateInstance(type)!;
        var add = typeof(Adding<>).MakeGenericType(item.Type).GetMethod(nameof(Adding<int>.TryAdd))!.CreateDelegate<Func<object, object?, bool>>();
        if (Nullable.GetUnderlyingType(item.Type) is not null || item.ReadState == NullabilityState.Nullable)
            add(set, null);
        foreach (var key in Keys(item.Type, isOuter))
            add(set, key);
        return set;
    }

    private IDictionary Map(Type type, Type key, NullabilityInfo item, int depth, bool isOuter)
    {
        var map = (IDictionary)Activator.CreateInstance(type)!;
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
        if (_left <= 0 || (!isOuter && _random.NextDouble() < _nulls))
            return 0;
        var count = isOuter && _random.Next(3) > 0 ? _left : (int)Math.Pow(Math.Min(_left, isOuter ? int.MaxValue : 8), _random.NextDouble());
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
        : type == typeof(Uri) ? new Uri($"my:{number}")
        : type == typeof(Version) ? new Version((int)(number & int.MaxValue), (int)(number >> 33 & int.MaxValue))
        : type == typeof(int) ? (int)(number ^ (number >> 32))
        : type == typeof(uint) ? (uint)(number ^ (number >> 32))
        : type == typeof(long) ? number
        : type == typeof(ulong) ? (ulong)number
        : type == typeof(short) ? (short)number
        : type == typeof(ushort) ? (ushort)number
        : type == typeof(byte) ? (byte)number
        : type == typeof(sbyte) ? (sbyte)number
        : null;

    private MemberPlan Plan(Type type)
    {
        if (!_plans.TryGetValue(type, out var plan))
            _plans.Add(type, plan = new MemberPlan(type, _nullability));
        return plan;
    }

    /// <summary>The constructor and the members by which a message is made.</summary>
    private sealed class MemberPlan
    {
        private readonly ConstructorInfo? _constructor;
        private readonly Type _type;

        public MemberPlan(Type type, NullabilityInfoContext nullability)
        {
            _type = type;
            Cases = [.. type.GetCustomAttributes<MessageUnionAttribute>().Select(static one => one.Type)];
            var isPlain = type.IsValueType && type.GetCustomAttribute<MessageAttribute>() is null;
            _constructor = type.IsAbstract || isPlain ? null : type.GetConstructors().OrderByDescending(static one => one.GetParameters().Length).FirstOrDefault();
            Parameters = _constructor?.GetParameters() ?? [];
            Members =
            [
                .. isPlain ? type.GetFields(BindingFlags.Public | BindingFlags.NonPublic | BindingFlags.Instance) : [],
                .. isPlain ? [] : type.GetProperties().Where(one => one.SetMethod is { IsPublic: true } && !Parameters.Any(parameter => parameter.Name == one.Name)),
                .. isPlain ? [] : type.GetFields(BindingFlags.Public | BindingFlags.Instance).Where(one => !Parameters.Any(parameter => parameter.Name == one.Name)),
            ];
            Infos =
            [
                .. Parameters.Select(nullability.Create),
                .. Members.Select(one => one is PropertyInfo property ? nullability.Create(property) : nullability.Create((FieldInfo)one)),
            ];
        }

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
