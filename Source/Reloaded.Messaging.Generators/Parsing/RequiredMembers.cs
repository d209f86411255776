using System.Collections.Generic;
using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The members that whoever makes an instance has to set, whether they travel or not.</summary>
internal static class RequiredMembers
{
    public static List<ISymbol> Of(INamedTypeSymbol type)
    {
        var required = new List<ISymbol>();
        for (var part = type; part is not null; part = part.BaseType)
        {
            foreach (var symbol in part.GetMembers())
            {
                // An override of a required member is required too, and stands for it.
                var isRequired = symbol is IPropertySymbol { IsRequired: true } or IFieldSymbol { IsRequired: true };
                if (isRequired && !required.Exists(other => other.Name == symbol.Name))
                    required.Add(symbol);
            }
        }

        return required;
    }
}
