using System;
using System.Security.Cryptography;

namespace Reloaded.Messaging;

/// <summary>The keys of an exchange, which are on the curve P-256.</summary>
internal static class CurveKeys
{
    private static readonly Lazy<bool> s_isSupported = new(CanCreateKeys);

    /// <summary>Whether this system can create the keys of an exchange. The first call creates a key.</summary>
    public static bool IsSupported => s_isSupported.Value;

    private static bool CanCreateKeys()
    {
        try
        {
            using var key = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
            return key.ExportParameters(includePrivateParameters: false).Q.X is not null;
        }
        catch (Exception e) when (e is CryptographicException or PlatformNotSupportedException or NotImplementedException)
        {
            return false;
        }
    }
}
