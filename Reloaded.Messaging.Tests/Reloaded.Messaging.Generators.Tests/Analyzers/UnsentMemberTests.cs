using System.Globalization;
using Microsoft.CodeAnalysis;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class UnsentMemberTests
{
    [Theory]
    [InlineData("[Message] public struct M { string [|_name|]; int [|_score|]; public M(string name, int score) => (_name, _score) = (name, score); public string Show() => $\"{_name} {_score}\"; }")]
    [InlineData("[Message] public struct M { private string [|_name|]; private readonly int [|_score|]; }")]
    [InlineData("[Message] public class M { private int [|Score|] { get; set; } internal string? [|Name|]; }")]
    [InlineData("[Message] public class M { public int A; int [|_b|], [|_c|]; }")]
    [InlineData("[Message] public class M { public int A { get; set; } int [|B|] { get; set; } }")]
    [InlineData("[Message] public record M(int A) { int [|B|] { get; init; } }")]
    [InlineData("[Message] public class M { public int A; int [|_b|]; public int B => _b; }")]
    [InlineData("[Message] public class M { public int A; public int [|B|] { private get; set; } }")]
    [InlineData("public interface IScored { int Score { get; } } [Message] public class M : IScored { public int A; int IScored.[|Score|] { get; } }")]
    [InlineData("public abstract class Base { int _a; public int A { get => _a; set => _a = value; } int _b; public void Set() => _b = 1; } [Message] public class [|M|] : Base { }")]
    [InlineData("public abstract class Base { private int _b; } [Message] public class [|M|] : Base { }")]
    public Task Member_that_is_not_public_is_reported(string code) => Contract.Expect("RM1017", code);

    [Theory]
    [InlineData("[Message] public class M { }")]
    [InlineData("[Message] public record M;")]
    [InlineData("[Message] public class M { [MessageIgnore] int _cache; [MessageIgnore] private int Other { get; set; } }")]
    [InlineData("[Message] public class M { public int A; private int _cache; internal int Other { get; set; } protected int Third; }")]
    [InlineData("[Message] public class M { int _a; public int A { get => _a; set => _a = value; } string? _b; public string? B { get { return _b; } init { _b = value; } } }")]
    [InlineData("[Message] public class M { static int s_count; const int Most = 3; public static int Count { get; set; } event Action? Changed; public int A; }")]
    [InlineData("[Message] public class M { static int s_count; const int Most = 3; public event Action? Changed; int Twice => 2; }")]
    [InlineData("[Message(1)] public class Base { public int A; private int _cache; } [Message(2)] public class M : Base { public int B; }")]
    [InlineData("[Message] public class M(int a) { public int A { get; } = a; public int B { get; set; } }")]
    [InlineData("public class Base { public int A { get; set; } public virtual int B { get; set; } } [Message] public class M : Base { public new int A { get; set; } public override int B { get; set; } }")]
    [InlineData("[Message(1), MessageUnion(0, typeof(N))] public abstract class M { private int _cache; } [Message(2)] public class N : M { public int A; }")]
    [InlineData("public class M { int _a; int B { get; set; } }")]
    public Task Member_that_is_public_or_hidden_on_purpose_is_not(string code) => Contract.Accept(code);

    [Fact]
    public async Task Report_is_a_warning_that_says_what_to_do()
    {
        var found = Assert.Single(await Contract.Expect("RM1017", "[Message] public class M { public int A; int [|_b|]; }"));

        Assert.Equal(DiagnosticSeverity.Warning, found.Severity);
        Assert.Equal("'_b' is not public, so it is not sent with 'M'. Make it public, or mark it [MessageIgnore].", found.GetMessage(CultureInfo.InvariantCulture));
    }
}
