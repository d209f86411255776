using System.Linq;

namespace Reloaded.Messaging.Tool;

/// <summary>Draws numbers as a line of characters.</summary>
internal static class Plot
{
    private const string Blocks = "▁▂▃▄▅▆▇█", Signs = "_.:-=+*#";

    /// <summary>Draws a character for each number, from zero to the highest of them.</summary>
    /// <param name="numbers">The numbers, at least 0.</param>
    /// <param name="isUnicode"><c>true</c> for blocks; <c>false</c> for a terminal that knows ASCII only.</param>
    public static string Create(IReadOnlyCollection<double> numbers, bool isUnicode)
    {
        var characters = isUnicode ? Blocks : Signs;
        var highest = numbers.DefaultIfEmpty().Max();
        return string.Concat(numbers.Select(number => characters[highest > 0 ? (int)Math.Ceiling(number / highest * (characters.Length - 1)) : 0]));
    }
}
