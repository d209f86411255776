namespace Reloaded.Messaging;

/// <summary>The behavior of a <see cref="SharedRingWriter{T}"/> when the ring is full.</summary>
public enum SharedRingMode
{
    /// <summary>The new item is not written. <see cref="SharedRingWriter{T}.TryWrite"/> returns <c>false</c>.</summary>
    DropNewest = 0,

    /// <summary>The new item replaces the oldest one.</summary>
    OverwriteOldest = 1,
}
