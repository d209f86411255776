namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>A blittable struct that compresses well.</summary>
internal unsafe struct Terrain
{
    public const int Size = 1024;

    public fixed byte Heights[Size];
}
