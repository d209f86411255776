using System.Globalization;
using System.Linq;
using System.Reflection;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>What holds for the statistics of each kind of host: a counter is one member of an enum, and one property with its name.</summary>
public static class StatisticsContract
{
    /// <summary>Checks statistics of a type, and its enum.</summary>
    public static void Check<TStatistics, TCounter>()
        where TStatistics : class
        where TCounter : struct, Enum
    {
        var properties = typeof(TStatistics).GetProperties(BindingFlags.Public | BindingFlags.Instance);
        Assert.Equal(Enum.GetNames<TCounter>(), properties.Select(static property => property.Name));
        var constructor = Assert.Single(typeof(TStatistics).GetConstructors(BindingFlags.NonPublic | BindingFlags.Instance));
        var counts = Activator.CreateInstance(constructor.GetParameters()[0].ParameterType)!;
        foreach (var counter in Enum.GetValues<TCounter>())
            counts.GetType().GetProperty("Item")!.SetValue(counts, Convert.ToInt64(counter, CultureInfo.InvariantCulture) + 1, [counter]);
        var statistics = constructor.Invoke([counts]);

        Assert.Equal(Enumerable.Range(1, properties.Length), properties.Select(property => Convert.ToInt32(property.GetValue(statistics), CultureInfo.InvariantCulture)));
        Assert.Equal($"{typeof(TStatistics).Name} {{ {string.Join(", ", properties.Select(static (property, index) => $"{property.Name} = {index + 1}"))} }}", statistics.ToString());
    }

    /// <summary>Checks that the members of an enum are the indexes of its counts: 0, 1, 2 and so on, in 32 bits.</summary>
    public static void CheckIndexes<TCounter>()
        where TCounter : struct, Enum =>
        Assert.Equal(Enumerable.Range(0, Enum.GetNames<TCounter>().Length), Enum.GetValuesAsUnderlyingType<TCounter>().Cast<int>());
}
