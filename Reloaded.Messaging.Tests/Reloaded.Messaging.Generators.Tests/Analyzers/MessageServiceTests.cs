using System.Globalization;
using Reloaded.Messaging.Generators.Model;
using Xunit;

namespace Reloaded.Messaging.Tests.Analyzers;

public sealed class MessageServiceTests
{
    private const string Usings = "using System.Threading;\nusing System.Threading.Tasks;\nusing Reloaded.Messaging.Hosting;\n";

    [Theory]
    [InlineData("[MessageService] public interface [|IMods|]<T> { Task RunAsync(); }")]
    [InlineData("public class Outer<T> { [MessageService] public interface [|IMods|] { Task RunAsync(); } }")]
    [InlineData("public class Outer { [MessageService] private interface [|IMods|] { Task RunAsync(); } }")]
    [InlineData("[MessageService] public interface [|IMods|] : IAsyncDisposable { Task RunAsync(); }")]
    public Task Interface_that_cannot_be_a_service_is_reported(string code) => Contract.Expect("RM1015", Usings + code);

    [Theory]
    [InlineData("int [|Count|] { get; }")]
    [InlineData("int [|this|][int index] { get; }")]
    [InlineData("void [|Run|]();")]
    [InlineData("int [|Run|]();")]
    [InlineData("IAsyncEnumerable<int> [|Run|]();")]
    [InlineData("Task [|RunAsync|]<T>();")]
    [InlineData("Task [|RunAsync|](ref int number);")]
    [InlineData("Task [|RunAsync|](in int number);")]
    [InlineData("Task [|RunAsync|](CancellationToken a, CancellationToken b);")]
    [InlineData("Task [|RunAsync|](Peer caller);")]
    [InlineData("Task [|RunAsync|](Peer? a = null, Peer? b = null);")]
    [InlineData("IAsyncEnumerable<Item> [|Run|](IProgress<Item> progress);")]
    [InlineData("Task [|RunAsync|](IAsyncEnumerable<Item> items, IProgress<Item> progress);")]
    [InlineData("Task [|RunAsync|](IAsyncEnumerable<Item> a, IAsyncEnumerable<Item> b);")]
    [InlineData("Task [|RunAsync|](IProgress<Item> a, IProgress<Item> b);")]
    [InlineData("Task [|RunAsync|](IAsyncEnumerable<int> items);")]
    [InlineData("Task [|RunAsync|](IProgress<int> progress);")]
    [InlineData("Task RunAsync(); Task [|RunAsync|](int number);")]
    [InlineData("event Func<int> [|Raised|];")]
    public Task Member_that_cannot_be_called_is_reported(string member) => Contract.Expect("RM1016", $"{Usings}[Message(7)] public record Item(int Number);[MessageService] public interface IMods {{ {member} }}");

    [Theory]
    [InlineData("Task [|RunAsync|](object value);")]
    [InlineData("Task [|RunAsync|](Action callback);")]
    [InlineData("Task<object> [|RunAsync|]();")]
    [InlineData("Task<List<Stream>> [|RunAsync|]();")]
    [InlineData("event Action<Stream> [|Raised|];")]
    [InlineData("event EventHandler<int> [|Raised|];")]
    [InlineData("Task [|RunAsync|](IAsyncEnumerable<Stream> items);")]
    [InlineData("Task [|RunAsync|](IProgress<object> progress);")]
    public Task Type_that_cannot_be_sent_is_reported(string member) => Contract.Expect("RM1003", $"{Usings}[MessageService] public interface IMods {{ {member} }}");

    [Fact]
    public async Task Report_of_a_parameter_names_it()
    {
        var found = await Contract.Expect("RM1003", $"{Usings}[MessageService] public interface IMods {{ Task [|RunAsync|](int number, object value); }}");

        Assert.Equal("'value' has the type object, which cannot be sent in a message: the type has no fixed form on the wire; declare the type of the values, or a union of their types.", found[0].GetMessage(CultureInfo.InvariantCulture));
    }

    [Fact]
    public Task Member_of_a_base_interface_is_reported_at_the_service() => Contract.Expect("RM1016", Usings + """
        public interface IBase { void Run(); }
        [MessageService] public interface [|IMods|] : IBase { Task RunAsync(); }
        """);

    [Fact]
    public Task Id_of_a_method_that_a_message_has_is_reported() => Contract.Expect("RM1001", Usings + """
        [Message(7)] public record A;
        [MessageService] public interface IMods { [MessageId(7)] Task [|RunAsync|](); }
        """);

    [Fact]
    public Task Id_of_a_message_that_a_method_derives_is_reported() => Contract.Expect("RM1001", Usings + $$"""
        [MessageService] public interface IMods { Task RunAsync(); }
        [Message({{Fnv.DeriveId("IMods.RunAsync")}})] public record [|Same|];
        """);

    [Theory]
    [InlineData("-1")]
    [InlineData("4294967296")]
    public Task Id_out_of_range_is_reported(string id) => Contract.Expect("RM1002", $"{Usings}[MessageService] public interface IMods {{ [MessageId({id})] Task [|RunAsync|](); }}");

    [Fact]
    public Task Secret_parameter_that_is_interned_is_reported() =>
        Contract.Expect("RM1010", $"{Usings}[MessageService] public interface IMods {{ Task [|RunAsync|]([Secret, Interned] string text); }}");

    [Fact]
    public Task Members_with_a_body_and_nested_types_are_not_reported() => Contract.Accept(Usings + """
        [MessageService]
        public interface IMods
        {
            const int Most = 3;
            Task RunAsync(int number);
            Task RunAsync() => RunAsync(Most);
            int Count => 3;
            static int Sum(int a, int b) => a + b;
            public enum Kind { None }
        }
        """);
}
