using System.Collections.Immutable;

namespace Reloaded.Messaging.Generators.Analyzers;

/// <summary>The names of the public methods that use the declared contracts of their type arguments. A test compares them with the public surface.</summary>
internal static class MessageCalls
{
    /// <summary>The methods whose handlers are passed as delegates.</summary>
    public static ImmutableHashSet<string> Registering { get; } = ImmutableHashSet.Create("On", "OnRequest", "OnAuthenticate", "OnStream", "Register");

    /// <summary>The methods that serialize a message.</summary>
    public static ImmutableHashSet<string> Sending { get; } = ImmutableHashSet.Create(
        "Send", "SendAsync", "RequestAsync", "TryRequestAsync", "StreamAsync", "Broadcast", "Publish", "PublishAsync", "SchedulePublishAsync", "Pack", "PackToStream", "Append", "Write");

    /// <summary>All methods.</summary>
    public static ImmutableHashSet<string> All { get; } = Registering.Union(Sending).Union(
        ImmutableHashSet.Create("AnnounceContract", "Deliver", "Events", "GetDeclared", "AddEventHandler", "AddRequestHandler"));

    /// <summary>The names of the type parameters that are messages.</summary>
    public static ImmutableHashSet<string> Messages { get; } = ImmutableHashSet.Create("T", "TMessage", "TEvent", "TRequest", "TReply", "TItem", "TSent", "TReport", "TCredentials");
}
