using System.Collections.Generic;
using System.Linq;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>How an instance is made from its members.</summary>
/// <param name="Kind">Whether before they are known, or after.</param>
/// <param name="Arguments">What the constructor is given. A parameter that is missing here is optional.</param>
/// <param name="Initialized">The members that an object initializer sets.</param>
internal sealed record ConstructionPlan(Construction Kind, IReadOnlyList<Argument> Arguments, IReadOnlyList<Member> Initialized)
{
    /// <summary>Also what is returned for a type that can't be made: that was reported.</summary>
    public static ConstructionPlan Setters { get; } = new(Construction.Setters, [], []);

    public EquatableArray<ArgumentModel> ArgumentModels() =>
        new(Arguments.Select(static argument => new ArgumentModel(argument.Parameter.Name, Names.Qualified(argument.Parameter.Type), argument.Member?.Symbol.Name)));

    public EquatableArray<string> InitializedNames() => new(Initialized.Select(static member => member.Symbol.Name));
}

/// <summary>A parameter, and the member that it takes; null for one that was left out of the message.</summary>
internal sealed record Argument(IParameterSymbol Parameter, Member? Member);
