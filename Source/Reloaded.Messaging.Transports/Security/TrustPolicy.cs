using System.Security.Cryptography.X509Certificates;

namespace Reloaded.Messaging;

/// <summary>Creates a chain policy that trusts only one root.</summary>
internal static class TrustPolicy
{
    public static X509ChainPolicy Of(X509Certificate2 root)
    {
        var policy = new X509ChainPolicy { TrustMode = X509ChainTrustMode.CustomRootTrust, RevocationMode = X509RevocationMode.NoCheck };
        policy.CustomTrustStore.Add(root);
        return policy;
    }
}
