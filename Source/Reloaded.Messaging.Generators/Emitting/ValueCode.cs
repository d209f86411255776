using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits a statement that writes one value, or an expression that reads one value. Used for members and for the items of collections.</summary>
internal sealed class ValueCode(TypeMethods methods)
{
    /// <summary>Returns the statement. <paramref name="what"/> names the value in the exception for a null that is not allowed.</summary>
    public string Write(WireType type, string value, string what)
    {
        if (type.Kind == WireKind.Fixed)
            return $"buffer.WriteFixed({value});";
        if (type.Kind == WireKind.Value)
            return $"buffer.Write{type.Method}({value});";

        var write = type.Kind == WireKind.String ? $"buffer.WriteString({value});" : $"{methods.Write(type)}({value}, buffer);";
        return type.IsReference && !type.MayBeNull ? $"if ({value} is null) PayloadWriter.ThrowNull({Literal(what)}); {write}" : write;
    }

    /// <summary>Returns an expression that is <c>true</c> if <paramref name="local"/> was read.</summary>
    /// <param name="type">The type to read.</param>
    /// <param name="local">A variable of the type.</param>
    /// <param name="isInterned">Whether strings come from the cache.</param>
    /// <param name="isPooled">Whether collections and messages are rented.</param>
    public string Read(WireType type, string local, bool isInterned, bool isPooled) => type.Kind switch
    {
        WireKind.Fixed => $"reader.TryReadFixed(out {local})",
        WireKind.Value => $"reader.TryRead{type.Method}(out {local})",
        WireKind.String => $"reader.TryRead{(type.MayBeNull ? "" : "Required")}{(isInterned ? "Interned" : "String")}(out {local})",
        _ when isPooled && NeedsRelease(type) => $"{methods.ReadPooled(type, isInterned)}(ref reader, out {local})",
        _ => $"{methods.Read(type, isInterned)}(ref reader, out {local})",
    };

    /// <summary>Returns whether reading the type rents an instance that must be returned.</summary>
    public static bool NeedsRelease(WireType type) => type.Kind switch
    {
        WireKind.List or WireKind.HashSet or WireKind.Dictionary => true,
        WireKind.Array => NeedsRelease(type.Element!),
        WireKind.Message => type.IsPooled,
        _ => false,
    };

    public static string Literal(string text) => "\"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
}
