namespace Reloaded.Messaging;

/// <summary>Something that keeps memory for later and can do with less.</summary>
internal interface ITrimmable
{
    /// <summary>Lets go of what is kept. Any thread, also while others use it; inside of the pool's lock, so it takes none that is held while registering.</summary>
    void Trim();
}
