using System.Collections.Immutable;
using System.Globalization;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class ReleasedMessageTests
{
    [Theory]
    [InlineData("Read([|packed|].Span);")]
    [InlineData("var memory = [|packed|].Memory;")]
    [InlineData("var length = [|packed|].Length;")]
    [InlineData("[|packed|].CopyTo(new byte[8]);")]
    [InlineData("var stream = [|packed|].AsStream();")]
    [InlineData("Send([|packed|]);")]
    [InlineData("_queue.Enqueue([|packed|], 0);")]
    [InlineData("if (condition) count++; else Read([|packed|].Span);")]
    [InlineData("while (count-- > 0) Read([|packed|].Span);")]
    [InlineData("count = condition ? [|packed|].Length : 0;")]
    [InlineData("try { count++; } finally { Read([|packed|].Span); }")]
    [InlineData("try { count++; } catch (FormatException) { Read([|packed|].Span); }")]
    public Task Every_use_after_a_release_is_reported(string use) => Expect(Usage.Body($"var packed = Pack(1); packed.Dispose(); {use}"));

    [Theory]
    [InlineData("if (condition) packed.Dispose(); else { count++; packed.Dispose(); } Read([|packed|].Span);")]
    [InlineData("switch (count) { case 0: packed.Dispose(); break; case 1: return; default: packed.Dispose(); break; } Read([|packed|].Span);")]
    [InlineData("try { count++; } finally { packed.Dispose(); } Read([|packed|].Span);")]
    [InlineData("try { if (condition) throw new FormatException(); } catch (FormatException) { count++; } finally { packed.Dispose(); } Read([|packed|].Span);")]
    [InlineData("if (!condition) return; packed.Dispose(); Read([|packed|].Span);")]
    [InlineData("do { packed.Dispose(); break; } while (count > 0); Read([|packed|].Span);")]
    public Task A_release_on_every_path_counts(string statements) => Expect(Usage.Body($"var packed = Pack(1); {statements}"));

    [Theory]
    [InlineData("if (condition) packed.Dispose(); Read(packed.Span);")]
    [InlineData("while (count-- > 0) packed.Dispose(); Read(packed.Span);")]
    [InlineData("try { packed.Dispose(); } catch (FormatException) { Read(packed.Span); }")]
    [InlineData("try { Read(packed.Span); packed.Dispose(); } catch (FormatException) { } Read(packed.Span);")]
    [InlineData("try { Read(packed.Span); packed.Dispose(); } finally { packed.Dispose(); }")]
    [InlineData("if (condition) { packed.Dispose(); return; } Read(packed.Span); packed.Dispose();")]
    [InlineData("var released = condition; if (condition) packed.Dispose(); if (!released) packed.Dispose();")]
    [InlineData("switch (count) { case 0: packed.Dispose(); break; case 1: break; } Read(packed.Span);")]
    [InlineData("if (condition && Free(packed.Length)) packed.Dispose(); Read(packed.Span); static bool Free(int length) => true;")]
    public Task A_release_on_some_paths_is_not_enough(string statements) => Expect(Usage.Body($"var packed = Pack(1); {statements}"));

    [Theory]
    [InlineData("packed.Dispose(); packed = Pack(2); Read(packed.Span); packed.Dispose();")]
    [InlineData("while (count-- > 0) { Read(packed.Span); packed.Dispose(); packed = Pack(count); } Read(packed.Span);")]
    [InlineData("packed.Dispose(); Make(out packed); Read(packed.Span); static void Make(out PackedMessage made) => made = Pack(1);")]
    [InlineData("packed.Dispose(); Make(ref packed); Read(packed.Span); static void Make(ref PackedMessage made) => made = Pack(1);")]
    [InlineData("packed.Dispose(); (packed, count) = (Pack(2), 2); Read(packed.Span);")]
    [InlineData("packed.Dispose(); packed = condition ? Pack(2) : Pack(3); Read(packed.Span);")]
    [InlineData("ref var same = ref packed; packed.Dispose(); same = Pack(2); Read(packed.Span);")]
    [InlineData("void Renew() => packed = Pack(2); packed.Dispose(); Renew(); Read(packed.Span);")]
    [InlineData("Action renew = () => packed = Pack(2); packed.Dispose(); renew(); Read(packed.Span);")]
    [InlineData("try { packed.Dispose(); packed = Pack(2); count++; } finally { packed.Dispose(); }")]
    public Task Another_message_in_the_same_variable_is_not_reported(string statements) => Expect(Usage.Body($"var packed = Pack(1); {statements}"));

    [Theory]
    [InlineData("using var packed = Pack(1); Read(packed.Span);")]
    [InlineData("using var packed = Pack(1); Read(packed.Span); packed.Dispose();")]
    [InlineData("using (var packed = Pack(1)) Read(packed.Span);")]
    [InlineData("foreach (var packed in _list) { Read(packed.Span); packed.Dispose(); }")]
    [InlineData("for (var i = 0; i < count; i++) { var packed = Pack(i); Read(packed.Span); packed.Dispose(); }")]
    [InlineData("var packed = Pack(1); Action release = () => packed.Dispose(); Read(packed.Span); release();")]
    [InlineData("var packed = Pack(1); packed.Dispose(); Console.WriteLine(nameof(packed));")]
    [InlineData("var packed = Pack(1); packed.Dispose(); if (packed.IsReleased && packed == default && !packed.Equals(packed)) count++;")]
    [InlineData("var packed = Pack(1); packed.Dispose(); _list.Remove(packed); Console.WriteLine(packed);")]
    public Task Uses_that_do_no_harm_are_not_reported(string statements) => Expect(Usage.Body(statements));

    [Theory]
    [InlineData("using var packed = Pack(1); packed.Dispose(); Read([|packed|].Span);")]
    [InlineData("var packed = Pack(1); packed.Dispose(); [|packed|].Dispose();")]
    [InlineData("var packed = Pack(1); try { count++; } finally { packed.Dispose(); } [|packed|].Dispose();")]
    [InlineData("foreach (var packed in _list) { packed.Dispose(); Read([|packed|].Span); }")]
    [InlineData("Action<PackedMessage> use = packed => { packed.Dispose(); Read([|packed|].Span); };")]
    [InlineData("static void Use(PackedMessage packed) { packed.Dispose(); Read([|packed|].Span); }")]
    [InlineData("static void Outer() { Action use = () => { var packed = Pack(1); packed.Dispose(); Read([|packed|].Span); }; }")]
    public Task Other_ways_to_hold_a_message_are_followed(string statements) => Expect(Usage.Body(statements));

    [Theory]
    [InlineData("var span = packed.Span; packed.Dispose(); Read([|span|]);")]
    [InlineData("var span = packed.Span; packed.Dispose(); count = [|span|][0];")]
    [InlineData("var memory = packed.Memory; packed.Dispose(); Read([|memory|].Span);")]
    [InlineData("var span = packed.Span; if (condition) packed.Dispose(); else packed.Dispose(); foreach (var one in [|span|]) count += one;")]
    public Task A_span_of_a_released_message_is_reported(string statements) => Expect(Usage.Body($"var packed = Pack(1); {statements}"));

    [Theory]
    [InlineData("var span = packed.Span; Read(span); packed.Dispose(); count = span.Length;")]
    [InlineData("var span = packed.Span; packed = Pack(2); packed.Dispose(); Read(span);")]
    [InlineData("var span = packed.Span; packed.Dispose(); span = default; Read(span);")]
    [InlineData("var span = packed.Span; if (condition) packed.Dispose(); Read(span);")]
    [InlineData("packed.Dispose(); for (var i = 0; i < count; i++) { var next = Pack(i); var span = next.Span; Read(span); next.Dispose(); }")]
    [InlineData("ReadOnlySpan<byte> bytes = new byte[3]; var span = bytes; packed.Dispose(); Read(span);")]
    public Task A_span_of_another_message_is_not_reported(string statements) => Expect(Usage.Body($"var packed = Pack(1); {statements}"));

    [Theory]
    [InlineData("private int Test { get { var packed = Pack(1); packed.Dispose(); return [|packed|].Length; } }")]
    [InlineData("private void Test(PackedMessage packed) { packed.Dispose(); Send([|packed|]); }")]
    [InlineData("private void Test(ref PackedMessage packed) { packed.Dispose(); Renew(); Read(packed.Span); } private void Renew() { }")]
    [InlineData("private async Task Test() { var packed = await PackAsync(1); packed.Dispose(); await Task.Yield(); Read([|packed|].Span); }")]
    [InlineData("private async Task Test() { var packed = await PackAsync(1); await using (new System.IO.MemoryStream()) packed.Dispose(); Send([|packed|]); }")]
    [InlineData("private IEnumerable<int> Test() { var packed = Pack(1); yield return packed.Length; packed.Dispose(); yield return [|packed|].Length; }")]
    [InlineData("private readonly Func<int> _test = () => { var packed = Pack(1); packed.Dispose(); return [|packed|].Length; };")]
    [InlineData("public Player(PackedMessage packed) : this(1) { packed.Dispose(); Send([|packed|]); } public Player(int length) { }")]
    public Task Every_kind_of_member_is_looked_at(string members) => Expect(Usage.Members(members));

    [Fact]
    public Task Top_level_statements_are_looked_at() => Expect(
        Usage.Program("""
            var packed = new MessageWriter().PackRaw(default, default);
            packed.Dispose();
            return [|packed|].Length;
            """),
        OutputKind.ConsoleApplication);

    [Fact]
    public async Task The_message_says_what_happened_to_which_variable()
    {
        var found = await Expect(Usage.Body("""
            var packed = Pack(1);
            var span = packed.Span;
            packed.Dispose();
            Send([|packed|]);
            [|packed|].Dispose();
            Read([|span|]);
            """));

        Assert.Equal("'packed' is used after its release", found[0].GetMessage(CultureInfo.InvariantCulture));
        Assert.Equal("'packed' is released twice", found[1].GetMessage(CultureInfo.InvariantCulture));
        Assert.Equal("'span' shows the bytes of a message that was released", found[2].GetMessage(CultureInfo.InvariantCulture));
        Assert.All(found, diagnostic => Assert.Equal(DiagnosticSeverity.Warning, diagnostic.Severity));
    }

    private static Task<ImmutableArray<Diagnostic>> Expect(string source, OutputKind kind = OutputKind.DynamicallyLinkedLibrary) =>
        AnalyzerRunner.Expect(new ReleasedMessageAnalyzer(), "RM2002", source, kind);
}
