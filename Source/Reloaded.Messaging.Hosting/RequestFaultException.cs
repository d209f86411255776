using System.Globalization;

namespace Reloaded.Messaging.Hosting;

/// <summary>Thrown when the remote side replied to a request with a fault. A fault has a code and a text, and never a stack trace.</summary>
public sealed class RequestFaultException : Exception
{
    /// <summary>Creates the exception. A request handler may throw it to choose the code and the text that the requester receives.</summary>
    /// <param name="code">The code of the fault (1000–2147483647). The library uses the codes below <see cref="FaultCode.FirstCustom"/>.</param>
    /// <param name="message">The text of the fault.</param>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the code is below 1000.</exception>
    public RequestFaultException(int code, string message)
        : this(Checked(code), message, isRemote: false)
    {
    }

    /// <summary>Creates the exception with a value of an enum as its code.</summary>
    /// <param name="code">The code of the fault (1000–2147483647).</param>
    /// <param name="message">The text of the fault.</param>
    /// <exception cref="ArgumentOutOfRangeException">Thrown when the code is below 1000.</exception>
    /// <exception cref="OverflowException">Thrown when the code does not fit into an <see cref="int"/>.</exception>
    public RequestFaultException(Enum code, string message)
        : this(Convert.ToInt32(code, CultureInfo.InvariantCulture), message)
    {
    }

    private RequestFaultException(int code, string message, bool isRemote)
        : base(message) => (Code, IsRemote) = (code, isRemote);

    /// <summary>The address of the section of the documentation about this exception, unless the program set another one.</summary>
    public override string? HelpLink => base.HelpLink ?? ErrorPage.LinkOf(this);

    /// <summary>The reason why the request was refused: a <see cref="FaultCode"/>, or a code of the program (1000 or more).</summary>
    public int Code { get; }

    /// <summary><see langword="true"/> if the remote side sent the fault in reply to a request of this process; <see langword="false"/> if this process created the exception.</summary>
    /// <remarks>A request that a handler sends may fail with a remote fault. The requester of that handler then receives <see cref="FaultCode.HandlerFailed"/>, not the code and text of the remote fault.</remarks>
    public bool IsRemote { get; }

    /// <summary>Creates the exception of a received fault, with any code. Control characters of the text, except tabs and line breaks, are replaced by U+FFFD.</summary>
    internal static RequestFaultException Received(int code, string text) => new(code, RemoteText.Clean(text), isRemote: true);

    /// <summary>Creates a fault of the library, with a code below <see cref="FaultCode.FirstCustom"/>.</summary>
    internal static RequestFaultException OfLibrary(int code, string text) => new(code, text, isRemote: false);

    private static int Checked(int code) => code >= FaultCode.FirstCustom
        ? code
        : throw new ArgumentOutOfRangeException(nameof(code), code, $"The code of the fault is {code}; the library uses the codes below {FaultCode.FirstCustom}. Use a code from {FaultCode.FirstCustom}.");
}
