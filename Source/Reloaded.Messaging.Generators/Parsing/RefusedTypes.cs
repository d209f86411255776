using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Parsing;

/// <summary>The reasons why types cannot be sent, each with what to do instead.</summary>
internal static class RefusedTypes
{
    private const string Large = "an empty one takes hundreds of bytes of memory, which a byte of a message must not ask for";
    private const string Items = "the types of its items are not known";
    private const string Unknown = "the type has no fixed form on the wire; declare the type of the values, or a union of their types";

    /// <summary>Returns the reason for a type of the framework, a delegate, a pointer or <c>dynamic</c>; <c>null</c> for all other types.</summary>
    public static string? Find(ITypeSymbol type)
    {
        switch (type.TypeKind)
        {
            case TypeKind.Delegate:
                return "a delegate is code, which is not sent; declare the values that the receiver needs";
            case TypeKind.Pointer or TypeKind.FunctionPointer:
                return "an address is valid in one process only; declare the value";
            case TypeKind.Dynamic:
                return Unknown;
        }

        for (var part = type; part is not null; part = part.BaseType)
        {
            if (Find(part.OriginalDefinition.ToDisplayString()) is { } reason)
                return reason;
        }

        return null;
    }

    /// <summary>Returns the reason for a type without a more specific one.</summary>
    public static string Of(ITypeSymbol type)
    {
        const string Foreign = "otherwise, use a [MessageConverter], or declare its contents as members";
        if (type.SpecialType != SpecialType.None || type.TypeKind is not (TypeKind.Class or TypeKind.Interface))
            return Unknown;
        if (UnsentContents.IsCollection(type))
            return "it is a collection whose items are not sent; declare a List or an array, or use a [MessageConverter]";
        return type.IsAbstract && !type.IsStatic
            ? $"mark it [Message] if it is yours, and list the types of its values by [MessageUnion]; {Foreign}"
            : $"mark it [Message] if it is yours; {Foreign}";
    }

    private static string? Find(string definition) => definition switch
    {
        "System.Collections.Concurrent.ConcurrentDictionary<TKey, TValue>" => $"{Large}; send a Dictionary",
        "System.Collections.Concurrent.ConcurrentQueue<T>" or "System.Collections.Concurrent.ConcurrentBag<T>" or "System.Collections.Concurrent.BlockingCollection<T>" => $"{Large}; send a List",
        "System.Buffers.ReadOnlySequence<T>" => "its parts would be copied into one array; send a ReadOnlyMemory",
        "System.Collections.Generic.PriorityQueue<TElement, TPriority>" => "its priorities are numbers, strings, enums, times, Guid, Version or such values in a tuple without strings, because other types may have no order; send a List of tuples",
        "System.Lazy<T>" => "it contains code; send its value",
        "System.Linq.ILookup<TKey, TElement>" => "no reader can create it; send a Dictionary of arrays",
        "System.Linq.IGrouping<TKey, TElement>" => "no reader can create it; send its key and an array",
        "System.Collections.ArrayList" or "System.Collections.IEnumerable" or "System.Collections.ICollection" or "System.Collections.IList" => $"{Items}; declare an array or a List of one type",
        "System.Collections.Hashtable" or "System.Collections.IDictionary" => $"{Items}; declare a Dictionary",
        "System.Exception" => "it refers to objects of one process; send its message as a string",
        "System.Globalization.CultureInfo" => "it consists of data of one machine; send its Name as a string",
        "System.IO.Stream" => "its contents are not in memory; send a byte array",
        "System.Text.Encoding" => "it is code; send its WebName as a string",
        "System.TimeZoneInfo" => "it consists of data of one machine; send its Id as a string",
        "System.Type" => "the receiver may not have the type; send its name as a string",
        _ => null,
    };
}
