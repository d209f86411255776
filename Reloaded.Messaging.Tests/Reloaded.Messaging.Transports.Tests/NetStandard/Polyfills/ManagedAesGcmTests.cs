using System.Linq;
using System.Security.Cryptography;
using Reloaded.Messaging.Polyfills;
using Reloaded.Messaging.Tests.Security;
using Xunit;

namespace Reloaded.Messaging.Tests.Polyfills;

/// <summary>AES-GCM of this library, which runtimes of .NET do not use, gives the results of Project Wycheproof.</summary>
public sealed class ManagedAesGcmTests
{
    [Fact]
    public void Ciphertexts_and_tags_are_those_of_AES_GCM()
    {
        var vectors = WycheproofVector.Read("aes_gcm_test.json").Where(static vector => vector["iv"].Length == 12).ToArray();
        Assert.Equal(197, vectors.Length);
        foreach (var vector in vectors)
        {
            using var cipher = new ManagedAesGcm(vector["key"]);
            var (ciphertext, tag, opened) = (new byte[vector["msg"].Length], new byte[16], new byte[vector["msg"].Length]);

            cipher.Encrypt(vector["iv"], vector["msg"], ciphertext, tag, vector["aad"]);
            Assert.True((ciphertext.SequenceEqual(vector["ct"]) && tag.SequenceEqual(vector["tag"])) == (vector.Result == "valid"), vector.Name);

            if (vector.Result != "valid")
            {
                Assert.ThrowsAny<CryptographicException>(() => cipher.Decrypt(vector["iv"], vector["ct"], vector["tag"], opened));
            }
            else if (vector["aad"].Length == 0)
            {
                cipher.Decrypt(vector["iv"], vector["ct"], vector["tag"], opened);
                Assert.True(opened.SequenceEqual(vector["msg"]), vector.Name);
            }
        }
    }
}
