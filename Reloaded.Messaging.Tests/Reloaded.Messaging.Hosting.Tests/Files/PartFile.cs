using System.IO;
using System.Security.Cryptography;
using System.Text;

namespace Reloaded.Messaging.Tests.Files;

/// <summary>The name of an unfinished file, as docs/services-and-streams.md specifies it.</summary>
internal static class PartFile
{
    public static string Of(string path) => Path.Combine(Path.GetDirectoryName(path)!, NameOf(Path.GetFileName(path)));

    public static string NameOf(string name) => $".reloaded-{Convert.ToHexString(SHA256.HashData(Encoding.UTF8.GetBytes(name)))[..32]}.part";
}
