using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;

namespace Reloaded.Messaging;

/// <summary>Checks arguments and options. Each method returns the value that it checked, so that an <c>init</c> accessor can assign it.</summary>
/// <remarks>
/// The file is compiled into each package, so that no package sees another's internals. In an accessor the name is the property's; elsewhere the caller
/// passes the parameter's.
/// </remarks>
internal static class Guard
{
    /// <summary>Checks that a number is not too small.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value is less than <paramref name="least"/>.</exception>
    public static int AtLeast(int least, int value, [CallerMemberName] string name = "")
    {
        if (value < least)
            ThrowOutOfRange(name, value, FormattableString.Invariant($"the minimum is {least}. Pass a larger value."));
        return value;
    }

    /// <summary>Checks that a number is in a range, which includes both bounds.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the value is outside of the range.</exception>
    public static int Between(int least, int most, int value, [CallerMemberName] string name = "")
    {
        if (value < least || value > most)
            ThrowOutOfRange(name, value, FormattableString.Invariant($"the range is {least} to {most}. Pass a value in this range."));
        return value;
    }

    /// <inheritdoc cref="Between(int, int, int, string)"/>
    public static double Between(double least, double most, double value, [CallerMemberName] string name = "")
    {
        if (!(value >= least && value <= most)) // NaN is in no range
            ThrowOutOfRange(name, value, FormattableString.Invariant($"the range is {least} to {most}. Pass a value in this range."));
        return value;
    }

    /// <inheritdoc cref="Between(int, int, int, string)"/>
    public static TimeSpan Between(TimeSpan least, TimeSpan most, TimeSpan value, [CallerMemberName] string name = "")
    {
        if (value < least || value > most)
            ThrowOutOfRange(name, value, $"the range is {least} to {most}. Pass a time in this range.");
        return value;
    }

    /// <summary>Checks that a time is longer than zero.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the time is zero or negative.</exception>
    public static TimeSpan Positive(TimeSpan value, [CallerMemberName] string name = "")
    {
        if (value <= TimeSpan.Zero)
            ThrowOutOfRange(name, value, "the time must be longer than zero. Pass a longer time.");
        return value;
    }

    /// <summary>Checks that a time is longer than zero and not too long.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the time is zero, negative or longer than <paramref name="most"/>.</exception>
    public static TimeSpan PositiveUpTo(TimeSpan most, TimeSpan value, [CallerMemberName] string name = "")
    {
        if (value <= TimeSpan.Zero || value > most)
            ThrowOutOfRange(name, value, $"the time must be longer than zero and at most {most}. Pass a time in this range.");
        return value;
    }

    /// <summary>Checks that a place accepts a value of an enum.</summary>
    /// <param name="place">The place, as the subject of a sentence.</param>
    /// <param name="accepted">The values that the place accepts.</param>
    /// <param name="value">The value.</param>
    /// <param name="name">The name of the property or parameter.</param>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the place does not accept the value.</exception>
    public static T OneOf<T>(string place, T[] accepted, T value, [CallerMemberName] string name = "")
        where T : struct, Enum
    {
        if (Array.IndexOf(accepted, value) < 0)
            ThrowOutOfRange(name, value, $"{place} accepts {string.Join(" or ", accepted)}. Pass one of these values.");
        return value;
    }

    [DoesNotReturn]
    private static void ThrowOutOfRange(string name, object value, string limit) =>
        throw new ArgumentOutOfRangeException(name, value, FormattableString.Invariant($"{name} is {value}; {limit}"));
}
