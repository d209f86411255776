using System.Globalization;
using System.Numerics;

namespace Reloaded.Messaging;

/// <summary>Checks points of the curve P-256 without creating a key. Points are public, so the duration of a check reveals no secret.</summary>
internal static class CurvePoint
{
    public const int CoordinateSize = 32;

    /// <summary>The size of a point, in bytes: the x-coordinate, then the y-coordinate, each big-endian.</summary>
    public const int Size = 2 * CoordinateSize;

    // SP 800-186, section 3.2.1.3: y^2 = x^3 - 3x + b, modulo p.
    private static readonly BigInteger s_p = Parse("0FFFFFFFF00000001000000000000000000000000FFFFFFFFFFFFFFFFFFFFFFFF");
    private static readonly BigInteger s_b = Parse("05AC635D8AA3A93E7B3EBBD55769886BC651D06B0CC53B0F63BCE3C3E27D2604B");

    /// <summary>Returns whether both coordinates are in range and satisfy the equation of the curve.</summary>
    /// <param name="point">The point: <see cref="Size"/> bytes.</param>
    public static bool IsOnCurve(ReadOnlySpan<byte> point)
    {
        var left = new BigInteger(point.Slice(0, CoordinateSize), isUnsigned: true, isBigEndian: true);
        var right = new BigInteger(point.Slice(CoordinateSize), isUnsigned: true, isBigEndian: true);
        if (left >= s_p || right >= s_p)
            return false;
        return ((right * right) - (((left * left) - 3) * left) - s_b) % s_p == 0;
    }

    private static BigInteger Parse(string hex) => BigInteger.Parse(hex, NumberStyles.HexNumber, CultureInfo.InvariantCulture);
}
