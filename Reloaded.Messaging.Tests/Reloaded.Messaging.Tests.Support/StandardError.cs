using System.IO;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Collects the standard error of the process until it is disposed. Only for <see cref="QuietAttribute"/> tests, because other tests write there too.</summary>
public sealed class StandardError : IDisposable
{
    private readonly TextWriter _before = Console.Error;
    private readonly StringWriter _written = new();

    public StandardError() => Console.SetError(TextWriter.Synchronized(_written));

    public void Dispose() => Console.SetError(_before);

    /// <summary>The text. Read it after the disposal.</summary>
    public override string ToString() => _written.ToString();
}
