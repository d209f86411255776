using System.IO;
using System.Security.Cryptography;
using System.Text;

namespace Reloaded.Messaging;

/// <summary>The keys of an exchange, which are on the curve P-256.</summary>
internal static class CurveKeys
{
    private const string Begin = "-----BEGIN PRIVATE KEY-----";
    private const int LineLength = 64; // RFC 7468
    private const string End = "-----END PRIVATE KEY-----";

    private static readonly Lazy<bool> s_isSupported = new(CanCreateKeys);

    /// <summary>Whether this system can create the keys of an exchange. The first call creates a key.</summary>
    public static bool IsSupported => s_isSupported.Value;

    /// <summary>Returns the public key of a key pair: <see cref="CurvePoint.Size"/> bytes.</summary>
    public static byte[] GetPublicKey(ECDiffieHellman pair)
    {
        var point = pair.ExportParameters(includePrivateParameters: false).Q;
        return [.. point.X!, .. point.Y!];
    }

    /// <summary>Returns a key with a point that is on the curve. The caller disposes it.</summary>
    public static ECDiffieHellman FromPoint(ReadOnlySpan<byte> point) => ECDiffieHellman.Create(new ECParameters
    {
        Curve = ECCurve.NamedCurves.nistP256,
        Q = new ECPoint { X = point.Slice(0, CurvePoint.CoordinateSize).ToArray(), Y = point.Slice(CurvePoint.CoordinateSize).ToArray() },
    });

    /// <summary>Creates a file with a private key, as PKCS #8 in PEM, unless the file exists. Only this user can read it. Another process sees no file, or the whole file.</summary>
    public static void CreateFile(string path)
    {
        if (File.Exists(path))
            return;
        using var pair = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
        var text = Convert.ToBase64String(pair.ExportPkcs8PrivateKey());
        for (var line = text.Length / LineLength; line > 0; line--)
            text = text.Insert(line * LineLength, "\n");
        var unpublished = path + "." + Path.GetRandomFileName();
        try
        {
            using (var file = LockFile.OpenUnchecked(unpublished, FileMode.CreateNew, FileShare.None))
                file.Write(Encoding.ASCII.GetBytes($"{Begin}\n{text}\n{End}\n"));
            LockFile.Publish(unpublished, path);
        }
        catch (IOException) when (File.Exists(path))
        {
            // Another process has created the file.
        }
        finally
        {
            LockFile.Delete(unpublished);
        }
    }

    /// <summary>Reads a private key, as PKCS #8 in PEM.</summary>
    /// <param name="path">The path of the file.</param>
    /// <param name="point">Receives the public key.</param>
    /// <param name="failure">Receives the reason why the file cannot be read; <see langword="null"/> if it can be read.</param>
    /// <returns>The private key for <see cref="Import"/>, or <see langword="null"/> if the file cannot be read, or contains none on P-256.</returns>
    public static byte[]? TryReadFile(string path, out byte[] point, out string? failure)
    {
        (point, failure) = ([], null);
        try
        {
            var text = LimitedFile.ReadText(path, LimitedFile.Secret).Trim();
            if (!text.StartsWith(Begin, StringComparison.Ordinal) || !text.EndsWith(End, StringComparison.Ordinal) || text.Length < Begin.Length + End.Length)
                return null;
            var pkcs8 = Convert.FromBase64String(text.Substring(Begin.Length, text.Length - Begin.Length - End.Length));
            using var pair = Import(pkcs8);
            point = GetPublicKey(pair);
            return point.Length == CurvePoint.Size && CurvePoint.IsOnCurve(point) ? pkcs8 : null;
        }
        catch (Exception e) when (e is IOException or UnauthorizedAccessException)
        {
            failure = e.Message.TrimEnd('.');
            return null;
        }
        catch (Exception e) when (e is CryptographicException or FormatException)
        {
            return null;
        }
    }

    /// <summary>Returns a key pair. The caller disposes it.</summary>
    public static ECDiffieHellman Import(byte[] pkcs8)
    {
        var pair = ECDiffieHellman.Create();
        pair.ImportPkcs8PrivateKey(pkcs8, out _);
        return pair;
    }

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
