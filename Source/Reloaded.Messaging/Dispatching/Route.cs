namespace Reloaded.Messaging;

/// <summary>The calls of a dispatcher for plain short messages of one type.</summary>
/// <param name="length">The length of the whole message, in bytes, for which <paramref name="direct"/> is called; 0, which no message has, for none.</param>
/// <param name="direct">The handler of messages with this length. The exact length replaces all other checks: the message is not empty, is below the limit, and its payload is the struct.</param>
/// <param name="call">Handles messages of any length, up to the limit.</param>
/// <remarks>
/// Delegates instead of a virtual method of the target: a virtual call needs two more loads, for which the processor waits when message types are mixed.
/// </remarks>
internal readonly struct Route<T>(int length, DirectCall<T> direct, RouteCall<T> call)
{
    public readonly DirectCall<T> Direct = direct;
    public readonly RouteCall<T>? Call = call; // null for a type without a handler
    public readonly int Length = length;

    /// <summary>Creates a route without a direct call.</summary>
    public Route(RouteCall<T> call)
        : this(0, null!, call)
    {
    }
}
