using System.Collections.Immutable;
using System.Globalization;
using Microsoft.CodeAnalysis;
using Reloaded.Messaging.Generators.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class UnreleasedMessageTests
{
    [Theory]
    [InlineData("[|Pack(1)|];")]
    [InlineData("_ = [|Pack(1)|];")]
    [InlineData("_ = condition ? [|Pack(1)|] : [|Pack(2)|];")]
    [InlineData("[|writer.Pack(s_contract, new Move(1))|];")]
    [InlineData("[|writer.PackRaw(default, default)|];")]
    [InlineData("Read([|Pack(1)|].Span);")]
    [InlineData("var length = [|Pack(1)|].Length;")]
    [InlineData("[|Pack(1)|].CopyTo(new byte[8]);")]
    [InlineData("Action<int> pack = x => { count++; [|Pack(x)|]; };")]
    public Task A_message_that_is_dropped_at_once_is_reported(string statements) => Expect(Usage.Body(statements));

    [Theory]
    [InlineData("var packed = [|Pack(1)|];")]
    [InlineData("var packed = [|Pack(1)|]; Read(packed.Span); packed.CopyTo(new byte[packed.Length]);")]
    [InlineData("PackedMessage packed = default; if (condition) packed = [|Pack(1)|]; else packed = [|Pack(2)|]; Read(packed.Span);")]
    [InlineData("var packed = condition ? [|Pack(1)|] : [|Pack(2)|]; Read(packed.Span);")]
    [InlineData("for (var i = 0; i < count; i++) { var packed = [|Pack(i)|]; Read(packed.Span); }")]
    [InlineData("Action send = () => { var packed = [|Pack(1)|]; Read(packed.Span); };")]
    [InlineData("void Inner() { var packed = [|Pack(1)|]; Read(packed.Span); }")]
    [InlineData("var packed = [|Pack(1)|]; Console.WriteLine(nameof(packed) + (packed == default) + packed.IsReleased);")]
    public Task A_message_in_a_local_that_nobody_releases_is_reported(string statements) => Expect(Usage.Body(statements));

    [Theory]
    [InlineData("var packed = [|Pack(1)|]; if (condition) return; packed.Dispose();")]
    [InlineData("var packed = [|Pack(1)|]; if (packed.Length > 8) { Read(default); return; } packed.Dispose();")]
    [InlineData("var packed = [|Pack(1)|]; if (condition) { packed.Dispose(); return; } Read(packed.Span);")]
    [InlineData("var packed = [|Pack(1)|]; packed = Pack(2); packed.Dispose();")]
    [InlineData("var packed = [|Pack(1)|]; try { Read(packed.Span); } catch { packed.Dispose(); throw; }")]
    [InlineData("var packed = [|Pack(1)|]; try { if (condition) return; } finally { count++; } packed.Dispose();")]
    [InlineData("Action send = () => { var packed = [|Pack(1)|]; if (condition) return; packed.Dispose(); };")]
    public Task A_message_that_is_surely_held_on_a_way_out_is_reported(string statements) => Expect(Usage.Body(statements));

    [Theory]
    [InlineData("using var packed = Pack(1); Read(packed.Span);")]
    [InlineData("using (var packed = Pack(1)) Read(packed.Span);")]
    [InlineData("using (Pack(1)) { }")]
    [InlineData("var packed = Pack(1); using (packed) Read(packed.Span);")]
    [InlineData("var packed = Pack(1); Read(packed.Span); packed.Dispose();")]
    [InlineData("Pack(1).Dispose();")]
    [InlineData("var packed = Pack(1); try { if (condition) return; Read(packed.Span); } finally { packed.Dispose(); }")]
    [InlineData("var packed = Pack(1); try { try { return; } finally { count++; } } finally { if (condition) packed.Dispose(); else packed.Dispose(); }")]
    [InlineData("var packed = Pack(1); while (count-- > 0) { packed.Dispose(); packed = Pack(count); } packed.Dispose();")]
    [InlineData("var packed = Pack(1); if (condition) packed.Dispose(); count++; if (!condition) packed.Dispose();")]
    [InlineData("var packed = Pack(1); if (count < 0) throw new InvalidOperationException(); packed.Dispose();")]
    [InlineData("var packed = Pack(1); try { Read(packed.Span); packed.Dispose(); Read(default); } catch (FormatException) { return; }")]
    [InlineData("PackedMessage packed; if (condition) packed = Pack(1); else return; packed.Dispose();")]
    public Task A_message_that_is_released_is_not_reported(string statements) => Expect(Usage.Body(statements));

    [Theory]
    [InlineData("Send(Pack(1));")]
    [InlineData("_queue.Enqueue(Pack(1), 0);")]
    [InlineData("var packed = Pack(1); if (_queue.Enqueue(packed, 0) is EnqueueStatus.Full or EnqueueStatus.Closed) packed.Dispose();")]
    [InlineData("var packed = Pack(1); var status = _queue.Enqueue(packed, 0);")]
    [InlineData("_kept = Pack(1);")]
    [InlineData("var packed = Pack(1); _kept = packed;")]
    [InlineData("var packed = Pack(1); var other = packed; other.Dispose();")]
    [InlineData("var packed = Pack(1); _list.Add(packed);")]
    [InlineData("var all = new[] { Pack(1), Pack(2) };")]
    [InlineData("var packed = Pack(1); var pair = (packed, 1);")]
    [InlineData("var packed = Pack(1); Action release = () => packed.Dispose();")]
    [InlineData("var packed = Pack(1); void Release() => packed.Dispose(); Release();")]
    [InlineData("var packed = Pack(1); Action release = packed.Dispose;")]
    [InlineData("var packed = Pack(1); ref var same = ref packed; same.Dispose();")]
    [InlineData("IDisposable packed = Pack(1); packed.Dispose();")]
    public Task A_message_that_is_handed_on_is_not_reported(string statements) => Expect(Usage.Body(statements));

    [Theory]
    [InlineData("private PackedMessage Test() { var packed = Pack(1); Read(packed.Span); return packed; }")]
    [InlineData("private PackedMessage Test => Pack(1);")]
    [InlineData("private IEnumerable<PackedMessage> Test() { var packed = Pack(1); yield return packed; yield return Pack(2); }")]
    [InlineData("private void Test(out PackedMessage packed) => packed = Pack(1);")]
    [InlineData("private async Task<PackedMessage> Test() => await PackAsync(1);")]
    [InlineData("private async Task Test() { using var packed = await PackAsync(1); await Task.Yield(); }")]
    [InlineData("private async Task Test() { await using var stream = new System.IO.MemoryStream(); using var packed = Pack(1); packed.CopyTo(new byte[8]); }")]
    [InlineData("private readonly PackedMessage _first = Pack(1);")]
    [InlineData("private readonly Func<PackedMessage> _make = () => Pack(1);")]
    public Task A_message_that_leaves_its_member_is_not_reported(string members) => Expect(Usage.Members(members));

    [Theory]
    [InlineData("private void Test() => [|Pack(1)|];")]
    [InlineData("private int Test => [|Pack(1)|].Length;")]
    [InlineData("private readonly int _length = [|Pack(1)|].Length;")]
    [InlineData("private readonly Func<int> _length = () => [|Pack(1)|].Length;")]
    [InlineData("private int Test { get { var packed = [|Pack(1)|]; return packed.Length; } }")]
    [InlineData("public Player() : this([|Pack(1)|].Length) { var packed = [|Pack(2)|]; } public Player(int length) { }")]
    [InlineData("private async Task Test() { var packed = [|await PackAsync(1)|]; await Task.Yield(); }")]
    [InlineData("private async Task Test() { _ = [|await PackAsync(1).ConfigureAwait(false)|]; }")]
    [InlineData("private async Task Test() { var packed = [|Pack(1)|]; await Task.Yield(); if (packed.Length > 3) return; packed.Dispose(); }")]
    [InlineData("private ReadOnlyMemory<byte> Test() { var packed = [|Pack(1)|]; return packed.Memory; }")]
    [InlineData("private IEnumerable<int> Test() { var packed = [|Pack(1)|]; yield return packed.Length; }")]
    public Task Every_kind_of_member_is_looked_at(string members) => Expect(Usage.Members(members));

    [Fact]
    public Task Top_level_statements_are_looked_at() => Expect(
        Usage.Program("""
            var writer = new MessageWriter();
            var lost = [|writer.PackRaw(default, default)|];
            var left = [|writer.PackRaw(default, default)|];
            using var packed = writer.PackRaw(default, default);
            if (args.Length > 0)
                return;
            left.Dispose();
            """),
        OutputKind.ConsoleApplication);

    [Theory]
    [InlineData("var length = _list.Find(other => other.IsReleased).Length;")]
    [InlineData("new Stack<PackedMessage>().Peek().CopyTo(new byte[8]);")]
    public Task What_a_collection_keeps_is_not_reported(string statements) => Expect(Usage.Body(statements));

    [Fact]
    public Task A_message_that_a_method_was_given_and_returns_is_not_reported() => Expect(Usage.Members("""
        private static PackedMessage Log(PackedMessage message) => message;
        private void Test() { using var packed = Pack(1); Log(packed); Log(packed).CopyTo(new byte[8]); }
        """));

    [Theory]
    [InlineData("Throws(() => Pack(1));")]
    [InlineData("Throws(() => { _ = Pack(1); });")]
    [InlineData("ThrowsAsync(async () => { await PackAsync(1); });")]
    public Task A_lambda_that_only_packs_is_not_reported(string statement) => Expect(Usage.Members($$"""
        private static void Throws(Action action) { }
        private static void ThrowsAsync(Func<Task> action) { }
        private void Test() { {{statement}} }
        """));

    [Fact]
    public async Task The_message_says_what_was_called_and_what_became_of_it()
    {
        var found = await Expect(Usage.Body("[|Pack(1)|]; var packed = [|Pack(2)|]; var left = [|Pack(3)|]; if (condition) return; left.Dispose();"));

        Assert.Equal("The message that 'Pack' returns is dropped without being released", found[0].GetMessage(CultureInfo.InvariantCulture));
        Assert.Equal("The message that 'Pack' returns is never released", found[1].GetMessage(CultureInfo.InvariantCulture));
        Assert.Equal("The message that 'Pack' returns is not released on every path out of the method", found[2].GetMessage(CultureInfo.InvariantCulture));
        Assert.All(found, diagnostic => Assert.Equal(DiagnosticSeverity.Warning, diagnostic.Severity));
    }

    private static Task<ImmutableArray<Diagnostic>> Expect(
        string source,
        OutputKind kind = OutputKind.DynamicallyLinkedLibrary) =>
        AnalyzerRunner.Expect(new UnreleasedMessageAnalyzer(), "RM2001", source, kind);
}
