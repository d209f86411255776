using System.Collections.Generic;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Diagnostics;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>Determines the number of a field: its position, or the number of its attribute in a version-tolerant message.</summary>
internal static class FieldNumbers
{
    private const int Largest = (1 << 28) - 1;

    public static int Read(Member member, int place, bool isTolerant, HashSet<int> taken, INamedTypeSymbol type, Fault report)
    {
        var given = MemberReader.FindAttribute(member, Names.Field) is { } attribute ? Names.Argument(attribute, 0) as int? : null;
        var name = member.Symbol.Name;
        var where = MemberReader.Where(member, type);
        if (!isTolerant)
        {
            if (given is not null)
                report(ContractRules.FieldNumber, where, name, "has a [MessageField], but only messages with VersionTolerant = true send field numbers");
            return place;
        }

        if (given is null)
            report(ContractRules.FieldNumber, where, name, "needs a [MessageField] with its number, because the message is version-tolerant");
        else if (given is < 1 or > Largest)
            report(ContractRules.FieldNumber, where, name, $"has the number {given}; a number must be in the range 1 to {Largest}");
        else if (!taken.Add(given.Value))
            report(ContractRules.FieldNumber, where, name, $"has the number {given}, which another field already has");
        return given ?? place;
    }
}
