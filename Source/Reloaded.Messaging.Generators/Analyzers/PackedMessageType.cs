using Microsoft.CodeAnalysis;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>The facts about <c>PackedMessage</c> that the rules use.</summary>
internal static class PackedMessageType
{
    public const string Name = "Reloaded.Messaging.PackedMessage";

    /// <summary>Returns whether a member throws once the message is released. Comparisons and <c>IsReleased</c> do not throw.</summary>
    public static bool NeedsLiveMessage(ISymbol member) =>
        member is { IsOverride: false, Name: not ("Dispose" or "IsReleased" or "Equals" or "GetType") };

    /// <summary>Returns whether a property is a view of the buffer. After the release, such a view shows the next contents of the buffer.</summary>
    public static bool IsView(IPropertySymbol property) => property.Name is "Span" or "Memory";
}
