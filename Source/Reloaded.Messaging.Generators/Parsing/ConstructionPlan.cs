using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>How an instance is made from its members.</summary>
/// <param name="Kind">Whether the instance is constructed before or after its members are read.</param>
/// <param name="Arguments">The arguments of the constructor. Parameters that are not listed are optional.</param>
/// <param name="Initialized">The members that an object initializer sets.</param>
internal sealed record ConstructionPlan(Construction Kind, IReadOnlyList<Argument> Arguments, IReadOnlyList<Member> Initialized)
{
    /// <summary>The plan of a class with setters. Also returned, after a report, for a type that cannot be constructed.</summary>
    public static ConstructionPlan Setters { get; } = new(Construction.Setters, [], []);

    public EquatableArray<ArgumentModel> ArgumentModels() =>
        new(Arguments.Select(static argument => new ArgumentModel(argument.Parameter.Name, Names.Qualified(argument.Parameter.Type), argument.Member?.Symbol.Name)));

    public EquatableArray<string> InitializedNames() => new(Initialized.Select(static member => member.Symbol.Name));
}

/// <summary>A parameter and the member that it takes; <c>null</c> for a member that is excluded from the message.</summary>
internal sealed record Argument(IParameterSymbol Parameter, Member? Member);
