using System.Text.RegularExpressions;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>Emits a statement that writes one value, or an expression that reads one value. Used for members and for the items of collections.</summary>
internal sealed class ValueCode(TypeMethods methods)
{
    /// <summary>Returns the statement.</summary>
    /// <param name="type">The type to write.</param>
    /// <param name="value">The value, an expression without effects.</param>
    /// <param name="member">An expression of the name of the member with the value, for exceptions.</param>
    /// <param name="part">The part of the member that the value is, such as <c>An item in</c>; empty for the member itself.</param>
    public string Write(WireType type, string value, string member, string part = "")
    {
        if (type.Kind == WireKind.Fixed)
            return $"buffer.WriteFixed({value});";
        if (type.Kind == WireKind.Value)
            return $"buffer.Write{type.Method}({value});";

        // A shared method checks a member itself. Its texts name no part of a member.
        var isString = type.Kind == WireKind.String;
        var write = isString ? $"buffer.WriteString({value}, {member});" : $"{methods.Write(type)}({value}, buffer, {member});";
        return type.IsReference && !type.MayBeNull && (isString || part.Length > 0) ? $"if ({value} is null) PayloadWriter.ThrowNull({member}{(part.Length == 0 ? "" : $", {Literal(part + " ")}")}); {write}" : write;
    }

    /// <summary>Returns an expression that is <c>true</c> if <paramref name="local"/> was read.</summary>
    /// <param name="type">The type to read.</param>
    /// <param name="local">A variable of the type.</param>
    /// <param name="isInterned">Whether strings come from the cache.</param>
    /// <param name="isPooled">Whether collections and messages are rented.</param>
    /// <param name="member">An expression of the name of the member with the value, for the exceptions of converters.</param>
    public string Read(WireType type, string local, bool isInterned, bool isPooled, string member) => type.Kind switch
    {
        WireKind.Fixed => $"reader.TryReadFixed(out {local})",
        WireKind.Value => $"reader.TryRead{type.Method}(out {local})",
        WireKind.String => $"reader.TryRead{(type.MayBeNull ? "" : "Required")}{(isInterned ? "Interned" : "String")}(out {local})",
        _ when isPooled && NeedsRelease(type) => $"{methods.ReadPooled(type, isInterned)}(ref reader, out {local}{(type.IsConverted ? $", {member}" : "")})",
        _ => $"{methods.Read(type, isInterned)}(ref reader, out {local}{(type.IsConverted ? $", {member}" : "")})",
    };

    /// <summary>Returns whether reading the type rents an instance that must be returned.</summary>
    public static bool NeedsRelease(WireType type) => type.Kind switch
    {
        WireKind.List or WireKind.HashSet or WireKind.Dictionary => true,
        WireKind.Array => NeedsRelease(type.Element!),
        WireKind.Message => type.IsPooled,
        _ => false,
    };

    /// <summary>Returns an expression that creates an array. In an array of arrays, the brackets of the outer array come first, as in <c>new int[count][]</c>.</summary>
    public static string NewArray(WireType type, string lengths)
    {
        var brackets = Regex.Match(type.Name, @"(\[,*\])+$");
        return $"new {type.Name.Substring(0, brackets.Index)}[{lengths}]{brackets.Value.Substring(brackets.Value.IndexOf(']') + 1)}";
    }

    public static string Literal(string text) => "\"" + text.Replace("\\", "\\\\").Replace("\"", "\\\"") + "\"";
}
