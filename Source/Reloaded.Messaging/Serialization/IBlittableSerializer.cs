namespace Reloaded.Messaging;

/// <summary>Marks a serializer whose payload is the memory of the struct, so that callers may copy it without a call.</summary>
internal interface IBlittableSerializer
{
    /// <summary>The size of the payload, in bytes; 0 for a struct without fields.</summary>
    int FixedSize { get; }
}
