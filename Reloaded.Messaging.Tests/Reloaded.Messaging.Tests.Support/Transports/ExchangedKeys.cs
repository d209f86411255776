using Xunit;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Protection with exchanged keys. A test that needs it is skipped on a system that cannot create the keys.</summary>
internal static class ExchangedKeys
{
    public static ProtectionOptions WithToken(int keyBits = 256)
    {
        AssertSupported();
        return ProtectionOptions.WithToken(keyBits);
    }

    public static void AssertSupported() => Assert.SkipUnless(CurveKeys.IsSupported, "This system cannot create keys on P-256. Wine cannot.");
}
