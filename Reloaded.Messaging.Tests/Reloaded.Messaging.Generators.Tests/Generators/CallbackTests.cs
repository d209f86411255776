using System.Globalization;
using Reloaded.Messaging.Tests.Analyzers;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>Methods of a message that are called before it is written and after it was read.</summary>
public sealed class CallbackTests
{
    [Fact]
    public void Methods_are_called_on_each_message_also_inside_of_others() => Expect(
        "a/read a/2 20/50/8 8",
        """$"{Value.Name}/{Value.Log}/{Value.Items[0].A} {Value.Items[0].B}/{Trip(new S { A = 4 }).B}/{Trip(new F { A = 4 }).A} {Trip(new H(new F { A = 4 })).F.A}" """,
        """
        [Message(1)] public partial class M { public string Name { get; set; } = ""; [MessageIgnore] public string Log = ""; [BeforeWriting] public void Trim() => Name = Name.Trim(); [AfterReading] private void Note() => Log = "read " + Name; public List<S> Items { get; set; } = []; }
        [Message(3)] public struct F { public int A; [AfterReading] public void Double() => A *= 2; } [Message(4)] public record H(F F);
        [Message(2)] public struct S { public int A; [MessageIgnore] public int B; [BeforeWriting] internal void Up() => A++; [AfterReading] internal void Down() => B = A * 10; }
        """,
        """private static readonly M Value = Trip(new M { Name = " a ", Items = [new S { A = 1 }] });""");

    [Fact]
    public void Methods_of_base_classes_come_first_and_an_override_is_called_once() => Expect(
        "1101 1122/6/6 0",
        """$"{Trip(new D { X = 1 }).X} {Trip(new D { X = 22 }).X}/{Trip(new Record(6)).B}/{Value}" """,
        """
        public class Base { public int X { get; set; } [AfterReading] public virtual void Seen() => X += 1; }
        [Message(3)] public class D : Base { [AfterReading] public override void Seen() => X += 100; [AfterReading] public void Also() => X += 1000; }
        [Message(4, Pooled = true)] public class P { public int A { get; set; } [AfterReading] public void Double() => A *= 2; }
        [Message(5)] public record Record(int A) { [MessageIgnore] public int B; [AfterReading] public void Copy() => B = A; }
        """,
        """
        private static readonly string Value = Seen();
        private static string Seen()
        {
            var dispatcher = new MessageDispatcher<string>();
            _ = dispatcher.Register<P>(static (in P message, ref string state) => state += " " + message.A);
            using var packed = new MessageWriter().Pack(new P { A = 3 });
            var seen = "";
            _ = dispatcher.Dispatch(packed.Span, ref seen);
            _ = dispatcher.Dispatch([4], ref seen);
            return seen.Trim();
        }
        """);

    [Fact]
    public void Exception_names_the_method() => Expect(
        "M.Check threw after the message was read: bad name (FormatException)/M.Ready threw before the message was written: empty (ArgumentException)/refused",
        """$"{Thrown(() => Trip(new M { Name = "bad" }))}/{Thrown(() => Trip(new M()))}/{Thrown(() => Read(MessageContract.GetDeclared<M>(), 9))}" """,
        """[Message(1)] public class M { public string Name { get; set; } = ""; [BeforeWriting] public void Ready() { if (Name.Length == 0) throw new ArgumentException("empty"); } [AfterReading] public void Check() { if (Name != "good") throw new FormatException("bad name"); } }""",
        """
        private static string Thrown(Action run)
        {
            try
            {
                run();
                return "nothing";
            }
            catch (InvalidOperationException e)
            {
                return e.Message + (e.InnerException is null ? "" : $" ({e.InnerException.GetType().Name})");
            }
        }
        """);

    [Theory]
    [InlineData("[BeforeWriting] public void [|A|](int a) { }")]
    [InlineData("[AfterReading] public static void [|A|]() { }")]
    [InlineData("[AfterReading] public int [|A|]() => 3;")]
    [InlineData("[AfterReading] public void [|A|]<T>() { }")]
    [InlineData("[BeforeWriting] public async void [|A|]() => await System.Threading.Tasks.Task.Yield();")]
    [InlineData("[BeforeWriting] private void [|A|]() { }")]
    public Task Method_that_cannot_be_called_is_reported(string method) => Contract.Expect("RM1004", $"[Message] public class M {{ {method} }}");

    [Theory]
    [InlineData("public class Base { [BeforeWriting] public void A() { } }", "public new void A() { }")]
    [InlineData("public class Base { [AfterReading] public void A() { } }", "[AfterReading] public new void A() { }")]
    [InlineData("public class Base { [BeforeWriting] protected void A() { } }", "private new void A() { }")]
    [InlineData("public class Base<T> { [BeforeWriting] public void A() { } } public class Base : Base<int> { public void A(params int[] more) { } }", "public int B;")]
    public async Task Method_in_whose_place_another_one_would_be_called_is_reported(string types, string member)
    {
        var found = await Contract.Expect("RM1004", $"{types} [Message] public partial class [|M|] : Base {{ {member} }}");
        Assert.Contains("is hidden by another member with this name; rename one of the two", Assert.Single(found).GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
    }

    [Theory]
    [InlineData("public class Base { [BeforeWriting] public void A() { } }", "private new void A() { }")]
    [InlineData("public class Base { [BeforeWriting] public void A() { } }", "public void A(int more) { }")]
    [InlineData("public class Base { [BeforeWriting] protected virtual void A() { } }", "protected override void A() { }")]
    public Task Method_that_is_called_is_accepted(string types, string member) => Contract.Accept($"{types} [Message] public partial class M : Base {{ {member} }}");

    private static void Expect(string expected, string result, string messages, string value) =>
        Assert.Equal(expected, GeneratorRunner.Run(GeneratorRunner.Emit(GeneratorRunner.Compile(Sources.Running(result, messages).Replace("private static T Trip", value + " private static T Trip", StringComparison.Ordinal)))));
}
