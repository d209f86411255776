using System.Linq;
using System.Reflection;

namespace Reloaded.Messaging.Tests.PublicSurface;

/// <summary>The types that a program writes to its log: the arguments of events, and statistics.</summary>
public static class LoggedTypes
{
    private const string Statistics = "GetStatistics";

    /// <summary>Fails for each such type of an assembly that prints the name of its type.</summary>
    public static void AssertPrinted(Assembly assembly)
    {
        var types = assembly.GetExportedTypes();
        var arguments = types.SelectMany(static type => type.GetEvents(BindingFlags.Public | BindingFlags.Instance)).SelectMany(static one => one.EventHandlerType!.GetGenericArguments());
        var statistics = types.SelectMany(static type => type.GetMethods()).Where(static method => method.Name == Statistics).Select(static method => method.ReturnType).ToList();
        var parts = statistics.SelectMany(static type => type.GetProperties()).Select(static property => Nullable.GetUnderlyingType(property.PropertyType) ?? property.PropertyType);
        List<Type> logged = [.. arguments.Concat(statistics).Concat(parts).Where(static type => !type.IsEnum && type.Namespace!.StartsWith("Reloaded.Messaging", StringComparison.Ordinal)).Distinct()];

        Xunit.Assert.NotEmpty(logged);
        Xunit.Assert.All(logged, static type => Xunit.Assert.Equal(type, type.GetMethod(nameof(ToString), Type.EmptyTypes)!.DeclaringType));
    }
}
