using System.Globalization;
using System.Linq;
using System.Text.RegularExpressions;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

public sealed class IdTests
{
    /// <summary>FNV-1a's published vectors, over a text and the zero byte behind it.</summary>
    [Theory]
    [InlineData("", 0x050C5D1Fu)]
    [InlineData("a", 0x2B24D044u)]
    [InlineData("foobar", 0x0C1C9EB8u)]
    public void The_hash_is_fnv_1a(string text, uint expected) => Assert.Equal(expected, Fnv.Add(Fnv.Start, text));

    [Theory]
    [InlineData("M", 50293960u)]
    [InlineData("Game.Messages.Move", 18666586u)]
    [InlineData("Game.Outer.Größe", 110538923u)]
    public void A_derived_id_is_the_hash_folded_into_four_bytes(string name, uint expected) => Assert.Equal(expected, Fnv.DeriveId(name));

    [Fact]
    public void A_derived_id_takes_four_bytes_whatever_the_name()
    {
        var ids = Enumerable.Range(0, 10_000).Select(static i => Fnv.DeriveId("Game.Message" + i)).ToList();

        Assert.All(ids, static id => Assert.InRange(id, 2097152u, 268435455u));
        Assert.True(ids.Distinct().Count() > 9_990);
    }

    [Fact]
    public void An_id_is_derived_from_the_full_name_and_from_nothing_else()
    {
        var id = IdOf("namespace Game { public class Outer { [Message] public class Größe { public int A; } } }");

        Assert.Equal(Fnv.DeriveId("Game.Outer.Größe"), id);
        Assert.Equal(id, IdOf("// edited\nnamespace Game; using System; public partial class Outer { [Message(Version = 2)] internal record struct Größe(string B); }"));
        Assert.NotEqual(id, IdOf("namespace Game { public class Outer2 { [Message] public class Größe { } } }"));
        Assert.Equal(Fnv.DeriveId("class"), IdOf("[Message] public class @class { }"));
    }

    [Theory]
    [InlineData("0", 0u)]
    [InlineData("126", 126u)]
    [InlineData("4294967295", uint.MaxValue)]
    [InlineData("0x7F", 127u)]
    public void A_given_id_is_kept(string given, uint expected) => Assert.Equal(expected, IdOf($"[Message({given})] public class M {{ }}"));

    private static uint IdOf(string code)
    {
        var files = GeneratorRunner.Generate(code.Contains("namespace Game;", StringComparison.Ordinal) ? code.Replace("using System;", Sources.Usings) : Sources.Usings + code);
        var contract = files.Single(static file => file.Key != "MessageContracts.g.cs").Value;
        return uint.Parse(Regex.Match(contract, @"^ +(\d+)u,$", RegexOptions.Multiline).Groups[1].Value, CultureInfo.InvariantCulture);
    }
}
