using System.Security.Cryptography;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Security;

public sealed class CurvePointTests
{
    private const string Modulus = "FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF";

    [Fact]
    public void Point_of_a_key_is_on_the_curve_and_no_point_beside_it_is()
    {
        ExchangedKeys.AssertSupported();
        for (var i = 0; i < 50; i++)
        {
            using var key = ECDiffieHellman.Create(ECCurve.NamedCurves.nistP256);
            var point = key.ExportParameters(includePrivateParameters: false).Q;
            Assert.True(CurvePoint.IsOnCurve([.. point.X!, .. point.Y!]));
            point.Y![i % 32] ^= 1;
            Assert.False(CurvePoint.IsOnCurve([.. point.X!, .. point.Y!]));
        }
    }

    [Theory]
    [InlineData("00", "00")]
    [InlineData("FF", "FF")]
    [InlineData("01", "01")]
    public void Point_of_repeated_bytes_is_not_on_the_curve(string x, string y) =>
        Assert.False(CurvePoint.IsOnCurve(Convert.FromHexString(string.Concat(System.Linq.Enumerable.Repeat(x, 32)) + string.Concat(System.Linq.Enumerable.Repeat(y, 32)))));

    [Fact]
    public void Coordinate_that_is_not_below_the_modulus_is_refused()
    {
        // (0, y) is on the curve; (p, y) satisfies the equation as well.
        var y = Convert.FromHexString("66485C780E2F83D72433BD5D84A06BB6541C2AF31DAE871728BF856A174F93F4");

        Assert.True(CurvePoint.IsOnCurve([.. new byte[32], .. y]));
        Assert.False(CurvePoint.IsOnCurve([.. Convert.FromHexString(Modulus), .. y]));
    }
}
