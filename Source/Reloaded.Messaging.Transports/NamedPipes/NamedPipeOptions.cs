namespace Reloaded.Messaging;

/// <summary>How named pipes behave. Immutable.</summary>
public sealed record NamedPipeOptions
{
    /// <summary>Whether a named pipe on Windows may connect an elevated process with one that is not, both of this user (default: <see langword="false"/>). Set it on both sides.</summary>
    /// <remarks>
    /// By default the system refuses that: what an elevated process makes belongs to the administrators. With it the server's pipe is open to
    /// all processes of the user, and the client accepts a pipe of the administrators as the user's own. No other system makes this difference.
    /// The netstandard2.1 build refuses it on Windows with a <see cref="System.PlatformNotSupportedException"/>.
    /// </remarks>
    public bool AllowElevationMismatch { get; init; }
}
