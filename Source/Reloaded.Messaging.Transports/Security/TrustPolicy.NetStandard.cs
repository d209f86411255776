using System;
using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging;

/// <summary>Trust in one root in place of the system's: not in this target.</summary>
internal static class TrustPolicy
{
    public static X509ChainPolicy Of(X509Certificate2 root) =>
        throw new PlatformNotSupportedException($"Trusting {root.Subject} alone needs X509ChainTrustMode, which netstandard2.1 has not. Pin the server's certificate instead.");
}
