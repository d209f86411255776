namespace Reloaded.Messaging;

/// <summary>One of the 256 direct entries of a dispatcher: the handler of plain short messages of one exact length.</summary>
/// <remarks>The exact length replaces all other checks: the message is not empty, is below the limit, and its payload is the struct.</remarks>
/// <param name="length">The length of the whole message, in bytes; 0, which no message has, for a type without a direct handler.</param>
/// <param name="call">The handler.</param>
internal readonly struct DirectEntry<T>(int length, DirectCall<T> call)
{
    public readonly DirectCall<T> Call = call;
    public readonly int Length = length;
}
