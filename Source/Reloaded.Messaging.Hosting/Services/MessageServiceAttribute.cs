namespace Reloaded.Messaging.Hosting;

/// <summary>Makes an interface a service. The compiler generates its client, its server binding, and a message for each method and event.</summary>
/// <remarks>
/// A method returns <c>Task</c>, <c>Task&lt;T&gt;</c>, <c>ValueTask</c> or <c>ValueTask&lt;T&gt;</c>. Its parameters can be everything that a member of a message
/// can be. A <see cref="System.Threading.CancellationToken"/> cancels the request. A parameter <c>Peer? caller = null</c> is not sent; the server sets it to the
/// caller. The delegate of an event returns <c>void</c>. Members of base interfaces belong to the service. docs/services-and-streams.md has examples.
/// </remarks>
[AttributeUsage(AttributeTargets.Interface, Inherited = false)]
public sealed class MessageServiceAttribute : Attribute;

/// <summary>Sets the id of the message of a service's method or event. Without the attribute, the id is derived from the full name of the interface and the name of the member.</summary>
/// <param name="id">The id (0–4294967295). With an id up to 126, the header of an event is one byte.</param>
/// <remarks>A reply that is not itself a message always has a derived id.</remarks>
[AttributeUsage(AttributeTargets.Method | AttributeTargets.Event)]
public sealed class MessageIdAttribute(long id) : Attribute
{
    /// <summary>The id.</summary>
    public long Id { get; } = id;
}
