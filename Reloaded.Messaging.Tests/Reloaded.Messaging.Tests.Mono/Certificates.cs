using System;
using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Certificates for tests. Mono cannot create certificates, so tests that need one are skipped.</summary>
internal sealed class Certificates : IDisposable
{
    public Certificates(string name = "", int from = 0, int to = 0) => throw new SkipException("Mono cannot create certificates (CertificateRequest).");

    public TlsOptions Server => throw new NotSupportedException();

    public TlsOptions Pinning => throw new NotSupportedException();

    public void Dispose()
    {
        // No instance exists.
    }
}
