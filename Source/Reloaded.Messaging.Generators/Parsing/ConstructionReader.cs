using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Finds out how an instance is made from its fields.</summary>
internal static class ConstructionReader
{
    public static Construction Read(
        INamedTypeSymbol type,
        List<Member> members,
        List<FieldModel> fields,
        Compilation compilation,
        Fault report,
        out List<int> arguments)
    {
        arguments = [];
        if (type.IsAbstract || members.Count != fields.Count)
            return Construction.Setters; // a union, or a fault that was reported

        // A struct can be made without arguments even when it declares no such constructor.
        var isBare = type.IsValueType || type.InstanceConstructors.Any(constructor => constructor.Parameters.Length == 0 && IsReachable(constructor, compilation));
        var hasRequired = members.Exists(static member => member.Symbol is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true });
        if (isBare && !hasRequired && members.TrueForAll(static member => member.IsSettable))
            return Construction.Setters;
        if (isBare && members.TrueForAll(static member => member.IsInitializable))
            return Construction.Initializer;

        var constructors = type.InstanceConstructors
            .Where(constructor => constructor.Parameters.Length == members.Count && IsReachable(constructor, compilation));
        foreach (var constructor in constructors)
        {
            arguments = [.. constructor.Parameters.Select(parameter => members.FindIndex(member => MemberReader.IsNamedAfter(member, parameter)))];
            if (!arguments.Contains(-1) && !hasRequired)
                return Construction.Constructor;
        }

        arguments = [];
        var obstacle = members.Find(static member => !member.IsInitializable);
        if (obstacle is null)
            report(ContractRules.UnsupportedMessage, type, type.Name, "it has neither a constructor without parameters nor one that takes all of its members");
        else
            report(ContractRules.NotSettable, obstacle.Symbol, obstacle.Symbol.Name, type.Name);
        return Construction.Setters;
    }

    private static bool IsReachable(IMethodSymbol constructor, Compilation compilation) => compilation.IsSymbolAccessibleWithin(constructor, compilation.Assembly);
}
