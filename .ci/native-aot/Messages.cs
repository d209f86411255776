using System;
using Reloaded.Messaging;

namespace NativeAot;

/// <summary>A struct in a struct in a message: the native compiler removes the metadata of its fields.</summary>
public readonly record struct Vector(float X, float Y, float Z);

/// <summary>The second level.</summary>
public readonly record struct Pose(Vector Position, Vector Facing);

/// <summary>An enum, which is sent as its number.</summary>
public enum Stance
{
    Standing,
    Crouching,
}

/// <summary>A message that is sent as its memory, with three levels of structs.</summary>
[Message]
public readonly record struct Spawn(Guid Entity, Pose Pose, Stance Stance);

/// <summary>The request of all transports.</summary>
[Message]
public readonly record struct Ask(int Number);

/// <summary>A reply with a string and an array, which is sent field by field.</summary>
[Message]
public sealed record Reply(int Number, string Text, Pose[] Poses);

/// <summary>A message without a generated contract.</summary>
public readonly record struct ByHand(int First, short Second, short Third);

/// <summary>A message without a generated contract, with a byte of padding.</summary>
public readonly record struct Padded(int First, byte Second);
