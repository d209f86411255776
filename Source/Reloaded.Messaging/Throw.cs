using System.Diagnostics.CodeAnalysis;
using System.Globalization;

namespace Reloaded.Messaging;

/// <summary>Throws the exceptions for mistakes of the caller, outside of the code that checks for them.</summary>
internal static class Throw
{
    [DoesNotReturn]
    public static void ArgumentOutOfRange(string parameter, object value, string rule) =>
        throw new ArgumentOutOfRangeException(parameter, value, string.Format(CultureInfo.InvariantCulture, "{0} is out of range: {1}.", value, rule));

    [DoesNotReturn]
    public static void MessageTooLarge(Type? messageType, long size, int limit, string limitName) =>
        throw new MessageTooLargeException(messageType, size, limit, limitName);

    [DoesNotReturn]
    public static void Released() =>
        throw new ObjectDisposedException(
            "PackedMessage",
            "This packed message was released: its buffer may already hold another message. Copy the bytes out before releasing it.");

    [DoesNotReturn]
    public static void NotDeclared(Type messageType) =>
        throw new InvalidOperationException(
            $"No contract is declared for {messageType}. " +
            (IsTask(messageType)
                ? "A task is not a message. Register an asynchronous handler of requests by OnRequest<TRequest, TReply>(async (request, peer, token) => ...)."
                : "Mark it [Message] in a project that has the generator of Reloaded.Messaging (on netstandard2.1 call the generated " +
                  "MessageContracts.Declare() once), or declare a contract of your own, or pass one to this call."));

    [DoesNotReturn]
    public static void AlreadyDeclared(Type messageType, uint declared, uint second) =>
        throw new InvalidOperationException(
            $"{messageType} is already declared as type {declared}, and a second contract (type {second}) can't take its place. " +
            "Declare one contract a type; pass any other to the call that uses it.");

    [DoesNotReturn]
    public static void TypeTaken(uint type, string existing, string added) =>
        throw new InvalidOperationException(
            $"Message type {type} is taken: it is registered for {existing}, and {added} can't share it. Give one of them another id.");

    [DoesNotReturn]
    public static void HasHandler(uint type, string existing, string added) =>
        throw new InvalidOperationException(
            $"Message type {type} has a handler already, for {existing}{(existing == added ? "" : $"; the second is {added}")}. " +
            "Dispose its registration first, or have a dispatcher put the second in its place by DuplicateHandlerBehavior.Replace.");

    [DoesNotReturn]
    public static void NotTracked() =>
        throw new InvalidOperationException(
            "This dispatcher does not track running handlers, so it cannot wait for them. " +
            "Create it with trackRunningHandlers, or call Dispose, which only stops new calls.");

    [DoesNotReturn]
    public static void AdvancedTooFar(int count, int available) =>
        throw new ArgumentOutOfRangeException(nameof(count), count, $"The last span or memory has {available} bytes. Advance by 0 to {available}.");

    [DoesNotReturn]
    public static void InstanceReturnedTwice(Type messageType) =>
        throw new InvalidOperationException(
            $"This instance of {messageType} was returned twice, and would be rented twice. Return each rented instance once, and do not use it afterwards.");

    [DoesNotReturn]
    public static void TooDeep(string? member, int limit) =>
        throw new InvalidOperationException(
            $"More than {limit} messages are inside each other{(member is null ? "" : $" at {member}")}, which no receiver accepts. " +
            "Look for a message that refers back to a message around it, or send the nodes as a list, by a converter.");

    [DoesNotReturn]
    public static void MemberIsNull(string member) =>
        throw new InvalidOperationException($"{member} is null, and its type says that it never is. Set it before sending, or declare it nullable on both ends.");

    [DoesNotReturn]
    public static void KeysCollide(string member, Type key, int count, int limit) =>
        throw new InvalidOperationException(
            $"{member} has {count} keys of {key}, of which too many have equal hash codes: a receiver would need more than {limit} steps for each key. " +
            $"Make GetHashCode of {key} depend on all that its Equals compares, or send a list.");

    [DoesNotReturn]
    public static void KeysAreEqual(string member, Type comparer) =>
        throw new InvalidOperationException(
            $"{member} has two keys that are equal for the default comparer, which receivers use. Its own comparer, {comparer}, is not sent. Send a list, or keys that are different.");

    [DoesNotReturn]
    public static void NotInUnion(Type union, Type type) =>
        throw new InvalidOperationException($"{type} is not one of the types that {union} may be in a message. Add a [MessageUnion] for it to {union.Name}, on both ends.");

    private static bool IsTask(Type type) =>
        typeof(Task).IsAssignableFrom(type) || type == typeof(ValueTask) || (type.IsGenericType && type.GetGenericTypeDefinition() == typeof(ValueTask<>));
}
