using System;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging;

/// <summary>Creates a chain policy that trusts only one root. This target does not support it.</summary>
internal static class TrustPolicy
{
    public static X509ChainPolicy Of(X509Certificate2 root) =>
        throw new PlatformNotSupportedException($"Trusting only {root.Subject} requires X509ChainTrustMode, which netstandard2.1 does not have. Pin the certificate of the server instead.");
}
