using System.Collections;
using System.Diagnostics.CodeAnalysis;
using System.Linq;
using System.Runtime.CompilerServices;

namespace Xunit;

/// <summary>Thrown when an assertion does not hold.</summary>
public sealed class AssertException(string message) : Exception(message);

/// <summary>Thrown when a test cannot run here.</summary>
public sealed class SkipException(string message) : Exception(message);

/// <summary>The assertions that the compiled tests use, with the meaning that they have in xUnit.net.</summary>
public static class Assert
{
    public static void True([DoesNotReturnIf(false)] bool condition, string? message = null) => Check(condition, message ?? "The condition is false.");

    public static void True([DoesNotReturnIf(false)] bool? condition, string? message = null) => Check(condition == true, message ?? "The condition is not true.");

    public static void False([DoesNotReturnIf(true)] bool condition, string? message = null) => Check(!condition, message ?? "The condition is true.");

    public static void False([DoesNotReturnIf(true)] bool? condition, string? message = null) => Check(condition == false, message ?? "The condition is not false.");

    [DoesNotReturn]
    public static void Fail(string message) => throw new AssertException(message);

    public static void SkipWhen(bool condition, string reason)
    {
        if (condition)
            throw new SkipException(reason);
    }

    public static void SkipUnless(bool condition, string reason) => SkipWhen(!condition, reason);

    public static void Null(object? value) => Check(value is null, $"{Show(value)} is not null.");

    public static void NotNull([NotNull] object? value) => Check(value is not null, "The value is null.");

    public static void Same(object? expected, object? actual) => Check(ReferenceEquals(expected, actual), $"{Show(actual)} is another object than {Show(expected)}.");

    public static void NotSame(object? expected, object? actual) => Check(!ReferenceEquals(expected, actual), $"{Show(actual)} is the same object.");

    public static void Equal<T>(T expected, T actual) => Check(AreEqual(expected, actual), $"{Show(actual)} is not {Show(expected)}.");

    public static void Equal<T>(IEnumerable<T>? expected, IEnumerable<T>? actual) => Check(AreEqual(expected, actual), $"{Show(actual)} is not {Show(expected)}.");

    [OverloadResolutionPriority(1)]
    public static void Equal<T>(T[] expected, T[] actual) => Check(AreEqual(expected, actual), $"{Show(actual)} is not {Show(expected)}.");

    public static void Equal(string? expected, string? actual) => Check(expected == actual, $"{Show(actual)} is not {Show(expected)}.");

    public static void Equal<T>(ReadOnlySpan<T> expected, ReadOnlySpan<T> actual) => Equal(expected.ToArray(), actual.ToArray());

    public static void Equal<T>(ReadOnlySpan<T> expected, Span<T> actual) => Equal(expected.ToArray(), actual.ToArray());

    public static void Equal<T>(T[] expected, ReadOnlySpan<T> actual) => Equal(expected, actual.ToArray());

    public static void Equal<T>(ReadOnlyMemory<T> expected, ReadOnlyMemory<T> actual) => Equal(expected.ToArray(), actual.ToArray());

    public static void Equal(double expected, double actual, int precision) => Check(Math.Round(expected, precision) == Math.Round(actual, precision), $"{actual} is not {expected}.");

    public static void Equal(double expected, double actual, double tolerance) => Check(Math.Abs(expected - actual) <= tolerance, $"{actual} is not {expected}.");

    public static void NotEqual<T>(T expected, T actual) => Check(!AreEqual(expected, actual), $"Both are {Show(actual)}.");

    public static void NotEqual<T>(IEnumerable<T>? expected, IEnumerable<T>? actual) => Check(!AreEqual(expected, actual), $"Both are {Show(actual)}.");

    public static void InRange<T>(T actual, T low, T high)
        where T : IComparable<T> => Check(actual.CompareTo(low) >= 0 && actual.CompareTo(high) <= 0, $"{Show(actual)} is not from {Show(low)} to {Show(high)}.");

    public static void Empty(IEnumerable collection) => Check(!collection.Cast<object?>().Any(), $"{Show(collection)} is not empty.");

    public static void NotEmpty(IEnumerable collection) => Check(collection.Cast<object?>().Any(), "The collection is empty.");

    public static T Single<T>(IEnumerable<T> collection)
    {
        var items = collection.ToArray();
        Check(items.Length == 1, $"{Show(items)} has {items.Length} items.");
        return items[0];
    }

    public static T Single<T>(IEnumerable<T> collection, Predicate<T> predicate) => Single(collection.Where(item => predicate(item)));

    public static void All<T>(IEnumerable<T> collection, Action<T> action)
    {
        foreach (var item in collection)
            action(item);
    }

    public static void Contains(string expected, string? actual, StringComparison comparison = StringComparison.Ordinal) =>
        Check(actual?.IndexOf(expected, comparison) >= 0, $"{Show(actual)} does not contain {Show(expected)}.");

    public static void Contains<T>(T expected, IEnumerable<T> collection) => Check(collection.Any(item => AreEqual(expected, item)), $"{Show(collection)} does not contain {Show(expected)}.");

    public static void Contains<T>(IEnumerable<T> collection, Predicate<T> predicate) => Check(collection.Any(item => predicate(item)), $"No item of {Show(collection)} matches.");

    public static void DoesNotContain(string expected, string? actual, StringComparison comparison = StringComparison.Ordinal) =>
        Check(!(actual?.IndexOf(expected, comparison) >= 0), $"{Show(actual)} contains {Show(expected)}.");

    public static void DoesNotContain<T>(T expected, IEnumerable<T> collection) => Check(!collection.Any(item => AreEqual(expected, item)), $"{Show(collection)} contains {Show(expected)}.");

    public static void DoesNotContain<T>(IEnumerable<T> collection, Predicate<T> predicate) => Check(!collection.Any(item => predicate(item)), $"An item of {Show(collection)} matches.");

    public static void StartsWith(string expected, string? actual, StringComparison comparison = StringComparison.Ordinal) =>
        Check(actual?.StartsWith(expected, comparison) == true, $"{Show(actual)} does not start with {Show(expected)}.");

    public static void EndsWith(string expected, string? actual, StringComparison comparison = StringComparison.Ordinal) =>
        Check(actual?.EndsWith(expected, comparison) == true, $"{Show(actual)} does not end with {Show(expected)}.");

    public static void Subset<T>(ISet<T> superset, ISet<T> subset) => Check(subset.IsSubsetOf(superset), $"{Show(subset)} is not a part of {Show(superset)}.");

    public static T IsType<T>(object? value)
    {
        Check(value?.GetType() == typeof(T), $"{Show(value)} is not a {typeof(T)}.");
        return (T)value!;
    }

    public static T IsAssignableFrom<T>(object? value)
    {
        Check(value is T, $"{Show(value)} is not a {typeof(T)}.");
        return (T)value!;
    }

    public static T Throws<T>(Action action)
        where T : Exception => Thrown<T>(Catch(action), isExact: true);

    public static T Throws<T>(Func<object?> function)
        where T : Exception => Thrown<T>(Catch(() => function()), isExact: true);

    public static T Throws<T>(string parameter, Action action)
        where T : ArgumentException
    {
        var thrown = Throws<T>(action);
        Equal(parameter, thrown.ParamName);
        return thrown;
    }

    public static T ThrowsAny<T>(Action action)
        where T : Exception => Thrown<T>(Catch(action), isExact: false);

    public static async Task<T> ThrowsAsync<T>(Func<Task> function)
        where T : Exception => Thrown<T>(await CatchAsync(function), isExact: true);

    public static async Task<T> ThrowsAnyAsync<T>(Func<Task> function)
        where T : Exception => Thrown<T>(await CatchAsync(function), isExact: false);

    /// <summary>Collections and tuples are equal if their items are.</summary>
    private static bool AreEqual(object? expected, object? actual)
    {
        if (expected is null || actual is null || expected is string)
            return Equals(expected, actual);
        if (expected is ITuple one && actual is ITuple other)
            return one.Length == other.Length && Enumerable.Range(0, one.Length).All(i => AreEqual(one[i], other[i]));
        if (Equals(expected, actual))
            return true;
        if (expected is not IEnumerable first || actual is not IEnumerable second)
            return false;
        var (left, right) = (first.Cast<object?>().ToArray(), second.Cast<object?>().ToArray());
        return left.Length == right.Length && left.Zip(right, AreEqual).All(static isEqual => isEqual);
    }

    private static Exception? Catch(Action action)
    {
        try
        {
            action();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    private static async Task<Exception?> CatchAsync(Func<Task> function)
    {
        try
        {
            await function();
            return null;
        }
        catch (Exception e)
        {
            return e;
        }
    }

    private static T Thrown<T>(Exception? thrown, bool isExact)
        where T : Exception
    {
        Check(thrown is T && (!isExact || thrown.GetType() == typeof(T)), $"Not thrown: {typeof(T)}. Thrown: {(object?)thrown ?? "nothing"}");
        return (T)thrown!;
    }

    private static string Show(object? value) => value switch
    {
        null => "null",
        string text => $"\"{text}\"",
        IEnumerable items => $"[{string.Join(", ", items.Cast<object?>().Take(20).Select(Show))}]",
        _ => value.ToString() ?? "",
    };

    private static void Check([DoesNotReturnIf(false)] bool condition, string message)
    {
        if (!condition)
            throw new AssertException(message);
    }
}
