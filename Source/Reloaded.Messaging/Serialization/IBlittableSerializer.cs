namespace Reloaded.Messaging;

/// <summary>Marks a serializer whose payload is the struct's own bytes, so that callers may copy them without calling it.</summary>
internal interface IBlittableSerializer
{
    /// <summary>The payload's size in bytes; 0 for a struct without fields.</summary>
    int FixedSize { get; }
}
