using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Sets the id of the message of a service's method or event. Without the attribute, the id is derived from the full name of the interface and the name of the member.</summary>
/// <param name="id">The id (0–4294967295). With an id up to 126, the header of an event is one byte.</param>
/// <remarks>A reply that is not itself a message always has a derived id.</remarks>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Event)]
public sealed class MessageIdAttribute(long id) : Attribute
{
    /// <summary>The id.</summary>
    public long Id { get; } = id;
}
