using System;
using System.Collections.Generic;
using System.Linq;
using System.Text.RegularExpressions;
using System.Threading.Tasks;
using Xunit;

namespace Reloaded.Messaging.Tests.CClient;

/// <summary>The C client reads and writes the bytes of docs/vectors, and compares keys as .NET does.</summary>
public sealed class CVectorTests : ClientVectorTests
{
    [Theory]
    [InlineData("f4", "00000000", "00000080", true)] // 0.0 and -0.0
    [InlineData("f4", "0000C07F", "0100C0FF", true)] // NaN
    [InlineData("f8", "000000000000F03F", "000000000000F0BF", false)]
    [InlineData("f2", "007E", "01FE", true)]
    [InlineData("f8", "000000000000F07F", "000000000000F87F", false)] // infinity and NaN
    [InlineData("d", "0A000000000000000000000000000100", "64000000000000000000000000000200", true)] // 1.0 and 1.00
    [InlineData("d", "01000000000000000000000000000000", "64000000000000000000000000000200", true)] // 1 and 1.00
    [InlineData("d", "00000000000000000000000000000180", "00000000000000000000000000000000", true)] // -0.0 and 0
    [InlineData("d", "01000000000000000000000000000080", "01000000000000000000000000000000", false)]
    [InlineData("d", "0A000000000000000000000000000100", "0A000000000000000000000000000200", false)]
    [InlineData("d", "00000000010000000A00000000000100", "00000000020000000A00000000000100", false)]
    [InlineData("t", "002019DD6622C108", "002019DD6622C148", true)] // another kind
    [InlineData("t", "002019DD6622C108", "012019DD6622C108", false)]
    [InlineData("to", "002019DD6622C1080000", "0088DD3E6F22C1083B00", false)]
    [InlineData("to", "002019DD6622C1080000", "0088DD3E6F22C1083C00", true)] // one moment, an hour apart on the clock
    [InlineData("s", "036162", "036162", true)]
    [InlineData("s", "036162", "0261", false)]
    [InlineData("?s", "00", "0100", false)]
    [InlineData("?i4", "00", "00", true)]
    [InlineData("?i4", "0105000000", "0106000000", false)]
    [InlineData("(f4f4)", "0000000000000080", "0000008000000000", true)]
    [InlineData("(s:?(s:f4))", "026100", "026100", true)]
    [InlineData("(?(s:f4):i2)", "000100", "000200", false)]
    [InlineData("(s:?i4)", "02610105000000", "026100", false)]
    [InlineData("(tti2)", "01000000000000000200", "01000000000000000200", true)]
    [InlineData("(ddb)", "0100000001", "0100000000", false)]
    [InlineData("g", "33221100554477668899AABBCCDDEEFF", "33221100554477668899AABBCCDDEEFE", false)]
    public Task Keys_are_equal_as_in_DotNet(string code, string first, string second, bool areEqual) => CompareAsync(
        [($"keys {(first + second)} {code} {first.Length / 2}", areEqual ? "equal" : "different")]);

    protected override async Task<string[]> AnswerAsync(string schema, IEnumerable<string> lines)
    {
        var program = await CProgram.GetAsync("test/vectors.c", schema);
        return [.. (await program.RunAsync(lines, [])).Select(static answer => Regex.Replace(answer, "RM_([A-Z_]+)", static status => Name(status.Groups[1].Value)))];
    }

    /// <summary>Returns "InvalidPayload" for "INVALID_PAYLOAD".</summary>
    private static string Name(string status) => string.Concat(status.Split('_').Select(static word => word[..1] + word[1..].ToLowerInvariant()));
}
