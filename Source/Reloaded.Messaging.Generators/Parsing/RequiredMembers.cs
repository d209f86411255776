using System.Collections.Generic;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The members that must be set to construct an instance, including members that are not sent.</summary>
internal static class RequiredMembers
{
    public static List<ISymbol> Of(INamedTypeSymbol type)
    {
        var required = new List<ISymbol>();
        for (var part = type; part is not null; part = part.BaseType)
        {
            foreach (var symbol in part.GetMembers())
            {
                // An override of a required member is also required and replaces it.
                var isRequired = symbol is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true };
                if (isRequired && !required.Exists(other => other.Name == symbol.Name))
                    required.Add(symbol);
            }
        }

        return required;
    }
}
