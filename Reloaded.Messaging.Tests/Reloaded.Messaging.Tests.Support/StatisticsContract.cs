using System;
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
        where TStatistics : class, new()
        where TCounter : struct, Enum
    {
        var properties = typeof(TStatistics).GetProperties(BindingFlags.Public | BindingFlags.Instance);
        Assert.Equal(Enum.GetNames<TCounter>(), properties.Select(static property => property.Name));
        var statistics = Create();

        Assert.Equal($"{typeof(TStatistics).Name} {{ {string.Join(", ", properties.Select(static (property, index) => $"{property.Name} = {index + 1}"))} }}", statistics.ToString());
        Assert.Equal(Create(), statistics);
        Assert.Equal(Create().GetHashCode(), statistics.GetHashCode());
        Assert.NotEqual(new TStatistics(), statistics);

        TStatistics Create()
        {
            var created = new TStatistics();
            for (var index = 0; index < properties.Length; index++)
                properties[index].SetValue(created, Convert.ChangeType(index + 1, properties[index].PropertyType, CultureInfo.InvariantCulture));
            return created;
        }
    }

    /// <summary>Checks that the members of an enum are the indexes of its counts: 0, 1, 2 and so on, in 32 bits.</summary>
    public static void CheckIndexes<TCounter>()
        where TCounter : struct, Enum =>
        Assert.Equal(Enumerable.Range(0, Enum.GetNames<TCounter>().Length), Enum.GetValuesAsUnderlyingType<TCounter>().Cast<int>());
}
