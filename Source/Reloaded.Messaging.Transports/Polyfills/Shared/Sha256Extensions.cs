using System.Security.Cryptography;

namespace Reloaded.Messaging.Polyfills;

/// <summary>In a class of its own: two extensions of one class cannot both have a method HashData.</summary>
[Microsoft.CodeAnalysis.Embedded]
internal static class Sha256Extensions
{
    extension(SHA256)
    {
        public static byte[] HashData(byte[] source)
        {
            using var hash = SHA256.Create();
            return hash.ComputeHash(source);
        }
    }
}
