using System.IO;
using System.Security.Cryptography;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Certificates for tests. Mono cannot create certificates, so they are read from files that .NET created.</summary>
internal sealed class Certificates : IDisposable
{
    private static int s_number;

    private readonly X509Certificate2 _server;

    public Certificates(string name = "127.0.0.1", int from = -1, int to = 1)
    {
        var folder = Environment.GetEnvironmentVariable("RELOADED_MESSAGING_CERTIFICATES")
            ?? throw new InvalidOperationException("RELOADED_MESSAGING_CERTIFICATES is not set. Set it to a folder that mono-tools has filled.");
        var number = Interlocked.Increment(ref s_number) % 2; // the next certificate of the same name is another one
        _server = new X509Certificate2(Path.Combine(folder, $"{name}_{from}_{to}_{number}.pfx"), "test");
    }

    public TlsOptions Server => new() { Certificate = _server };

    public TlsOptions Pinning => new() { PinnedThumbprint = Thumbprint };

    /// <summary>The method of the framework for it throws on Mono.</summary>
    private string Thumbprint
    {
        get
        {
            using var sha = SHA256.Create();
            return BitConverter.ToString(sha.ComputeHash(_server.RawData)).Replace("-", "");
        }
    }

    public void Dispose() => _server.Dispose();
}
