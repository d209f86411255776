namespace Reloaded.Messaging;

/// <summary>An object that keeps memory for reuse and can release it.</summary>
internal interface ITrimmable
{
    /// <summary>Releases the kept memory. Called on any thread, also while others use the object, and inside of the pool's lock: it must not take a lock that is held while registering.</summary>
    void Trim();
}
