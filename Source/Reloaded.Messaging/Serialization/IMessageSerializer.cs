using System;
using System.Diagnostics.CodeAnalysis;

namespace Reloaded.Messaging;

/// <summary>Turns messages of one type into payloads and back. Implement it to bring a format of your own.</summary>
/// <typeparam name="T">The message.</typeparam>
/// <remarks>One instance serves every thread that uses its contract, at once and nested: keep no state between calls.</remarks>
public interface IMessageSerializer<T>
{
    /// <summary>The format's name, such as "json": what two ends compare when they meet.</summary>
    string Name { get; }

    /// <summary>Appends the payload of <paramref name="value"/> to <paramref name="buffer"/>.</summary>
    /// <param name="value">The message.</param>
    /// <param name="buffer">Already holds the header; belongs to the caller, and must not be kept after the call.</param>
    /// <remarks>An exception leaves nothing behind: the writer takes its buffer back and lets the exception through.</remarks>
    void Serialize(in T value, MessageBuffer buffer);

    /// <summary>Reads a message back.</summary>
    /// <param name="payload">The whole payload, from anywhere; valid during the call.</param>
    /// <param name="value">The message; it must not refer to <paramref name="payload"/>'s memory.</param>
    /// <returns>False for bytes that are not such a message, left-over ones included. Bad bytes never throw; what a constructor or a setter of the message's own throws is the caller's to see.</returns>
    bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out T value);
}
