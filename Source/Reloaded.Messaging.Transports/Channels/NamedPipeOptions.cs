using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>The options of named pipes. Immutable.</summary>
public sealed record NamedPipeOptions
{
    /// <summary>Whether a named pipe on Windows may connect an elevated process and a process that is not elevated, of the same user (default: <see langword="false"/>). Set it on both sides.</summary>
    /// <remarks>
    /// By default, the system refuses such a connection, because objects of an elevated process belong to the administrators. With this option, all
    /// processes of the user can open the pipe of the server, and the client accepts a pipe of the administrators. Other systems ignore the option.
    /// The netstandard2.1 build does not support it on Windows and throws a <see cref="System.PlatformNotSupportedException"/>.
    /// </remarks>
    public bool AllowElevationMismatch { get; init; }

    /// <summary>The text of options has no values.</summary>
    [SuppressMessage("Performance", "CA1822", Justification = "The compiler asks for an instance method.")]
    private bool PrintMembers(StringBuilder builder) => false;
}
