using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

public sealed class DefaultTests
{
    /// <summary>What a parameter is when its argument is left out is what a field is that the sender didn't know.</summary>
    [Theory]
    [InlineData("float", "float.NaN")]
    [InlineData("double", "double.NaN")]
    [InlineData("float", "float.NegativeInfinity")]
    [InlineData("double", "double.PositiveInfinity")]
    [InlineData("float?", "float.PositiveInfinity")]
    [InlineData("double?", "double.NaN")]
    [InlineData("float", "1e-45f")]
    [InlineData("float", "0.1f")]
    [InlineData("double", "-0.0")]
    [InlineData("double", "double.MaxValue")]
    [InlineData("long", "long.MinValue")]
    [InlineData("ulong", "ulong.MaxValue")]
    [InlineData("int", "int.MinValue")]
    [InlineData("sbyte", "-128")]
    [InlineData("byte?", "255")]
    [InlineData("char", "'\\''")]
    [InlineData("char", "'\\0'")]
    [InlineData("char?", "'\\uD800'")]
    [InlineData("decimal", "-79228162514264337593543950335m")]
    [InlineData("decimal", "0.10m")]
    [InlineData("decimal?", "1m")]
    [InlineData("bool", "true")]
    [InlineData("bool?", "false")]
    [InlineData("E", "E.B")]
    [InlineData("E?", "E.B")]
    [InlineData("E", "(E)3")]
    [InlineData("string", "\"\\\"quoted\\\" \\\\ \\r\\n\\t\\0 {brace} \\u2028 ß\"")]
    [InlineData("string?", "null")]
    [InlineData("string?", "\"\"")]
    [InlineData("DateTime", "default")]
    [InlineData("Guid?", "null")]
    public void A_literal_of_any_kind_is_kept(string type, string literal)
    {
        var code = Sources.Running(
            """$"{Equals(Read(global::Reloaded.Messaging.Generated.MSerializer.Contract).A, (object?)new M().A)}" """,
            $$"""public enum E : long { A, B = long.MinValue } [Message] public record M({{type}} A = {{literal}});""");
        Assert.StartsWith("True", GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(code))));
    }

    [Fact]
    public void An_inherited_member_has_the_default_of_the_constructor_that_is_called()
    {
        var code = Sources.Running(
            """$"{Read(global::Reloaded.Messaging.Generated.MSerializer.Contract).A} {Read(global::Reloaded.Messaging.Generated.MSerializer.Contract).B}" """,
            "public record Base(int A = 5); [Message] public record M(int A = 7, int B = 8) : Base(A);");
        Assert.Equal("7 8", GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(code))));
    }

    [Fact]
    public void A_parameter_that_takes_no_member_keeps_its_own_default()
    {
        var code = Sources.Running(
            """$"{Read(global::Reloaded.Messaging.Generated.MSerializer.Contract, 1, 0, 0, 0).Sum}" """,
            "[Message] public class M { public int A { get; } [MessageIgnore] public int Sum { get; } public M(int a, int more = 40) { A = a; Sum = a + more; } }");
        Assert.Equal("41", GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(code))));
    }
}
