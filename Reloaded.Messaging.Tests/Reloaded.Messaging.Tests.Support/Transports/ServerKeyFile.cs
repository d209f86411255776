using System.IO;
using System.Security.Cryptography;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A file with the private key of a server. Disposing deletes it.</summary>
internal sealed class ServerKeyFile : IDisposable
{
    public ServerKeyFile()
        : this(ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256))
    {
    }

    /// <param name="key">The key, which is disposed.</param>
    public ServerKeyFile(ECDiffieHellman key)
    {
        using (key)
        {
            PublicKey = Convert.ToBase64String(CurveKeys.GetPublicKey(key));
            File.WriteAllText(Path, key.ExportPkcs8PrivateKeyPem());
        }
    }

    public string Path { get; } = System.IO.Path.GetTempFileName();

    public string PublicKey { get; }

    public void Dispose() => File.Delete(Path);
}
