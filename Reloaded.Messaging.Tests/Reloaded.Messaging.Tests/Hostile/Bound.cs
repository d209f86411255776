namespace Reloaded.Messaging.Tests.Hostile;

/// <summary>The most that reading a payload may allocate: what docs/specification/binary-format.md promises.</summary>
internal static class Bound
{
    private const int Most = 128;
    private const int MostOfEager = 256;
    private const int Base = 4096;

    // The outermost message itself, and an exception where only one tells that bytes aren't UTF-8.
    private const int Once = 8192;

    /// <param name="payload">The size of the payload.</param>
    /// <param name="nullable">The size of the largest nullable struct in a collection of the contract, if it is larger than the usual bound.</param>
    public static long Of(int payload, int nullable = 0) => Base + Once + ((long)Math.Max(Most, nullable) * payload);

    /// <summary>Where messages inside of it have collections that are never null.</summary>
    public static long OfEager(int payload) => Base + Once + ((long)MostOfEager * payload);
}
