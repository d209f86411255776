using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>What the rules know about <c>PackedMessage</c>.</summary>
internal static class PackedMessageType
{
    public const string Name = "Reloaded.Messaging.PackedMessage";

    /// <summary>Whether a member of it throws once the message is released. Those that compare it or ask for that don't.</summary>
    public static bool NeedsLiveMessage(ISymbol member) =>
        member is { IsOverride: false, Name: not ("Dispose" or "IsReleased" or "Equals" or "GetType") };

    /// <summary>Whether a property is a view of the bytes that shows other bytes once the message is released.</summary>
    public static bool IsView(IPropertySymbol property) => property.Name is "Span" or "Memory";
}
