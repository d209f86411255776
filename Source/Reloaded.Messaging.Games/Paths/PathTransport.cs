namespace Reloaded.Messaging.Games;

/// <summary>A transport whose traffic takes a path.</summary>
/// <param name="inner">The transport that sends the traffic.</param>
/// <param name="path">The path.</param>
internal abstract class PathTransport(Transport inner, NetworkPath path) : Transport
{
    public sealed override string Scheme => Inner.Scheme;

    public sealed override bool IsEncrypted => Inner.IsEncrypted;

    public sealed override bool RequiresToken => Inner.RequiresToken;

    public sealed override bool AppliesProtection => Inner.AppliesProtection;

    protected Transport Inner { get; } = inner;

    protected NetworkPath Path { get; } = path;

    public sealed override string Describe(string name, int port) => Inner.Describe(name, port);

    public sealed override bool Equals(object? obj) => obj is PathTransport other && other.Inner.Equals(Inner) && other.Path == Path;

    public sealed override int GetHashCode() => HashCode.Combine(Inner, Path);
}
