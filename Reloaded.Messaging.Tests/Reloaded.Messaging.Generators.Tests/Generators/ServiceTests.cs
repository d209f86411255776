using System.Linq;
using Microsoft.CodeAnalysis.CSharp;
using Reloaded.Messaging.Generators.Model;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

public sealed class ServiceTests
{
    private const string Usings = "using System;\nusing System.Collections.Generic;\nusing System.Threading;\nusing System.Threading.Tasks;\nusing Reloaded.Messaging;\nusing Reloaded.Messaging.Hosting;\n";

    [Fact]
    public void Every_kind_of_member_compiles_in_the_oldest_language() => GeneratorRunner.Compile(
        Usings + """
        namespace @namespace
        {
            [Message] public class @event { public int A { get; set; } }
            public delegate void Renamed(string @class, int? number);
            public interface IBase { Task<string?> BaseAsync(string[]? items); event Renamed? Renamed; }
            public class Outer
            {
                [MessageService]
                internal interface IMods : IBase
                {
                    Task<@event> @class(@event @struct, bool flag = true, CancellationToken @in = default);
                    Task<@event?> MaybeAsync(Peer? caller = null);
                    ValueTask<@event> ValueAsync(in_ request, int caller, int canceled, int service, int binding, int _caller, int handler, int value);
                    ValueTask<int?> CountAsync(params int[] numbers);
                    Task PlainAsync();
                    ValueTask AsyncValue(DateTime when = default, string text = "a\"b");
                    Task under_score();
                    Task underAsync(double request = double.NaN);
                    event Action Happened;
                    event Action<@event>? One;
                    event Action<int, List<string?>?> Two;
                }
            }

            [Message] public struct in_ { public int X; }
            [MessageService] public interface IEmpty { }
        }
        """,
        LanguageVersion.CSharp9);

    [Fact]
    public void Names_with_underscores_get_their_own_classes() => GeneratorRunner.Compile(Usings + """
        namespace A_B { [MessageService] public interface C { Task RunAsync(); Task Run_1Async(); } }
        namespace A { [MessageService] public interface B_C { Task RunAsync(); } }
        namespace A.B { [MessageService] public interface C { Task RunAsync(); } }
        """);

    [Fact]
    public void Service_of_another_assembly_is_found_and_called()
    {
        var contracts = GeneratorRunner.Emit(GeneratorRunner.Compile(Usings + "[MessageService] public interface IAdder { Task<int> AddAsync(int a, int b = 5); }", name: "Contracts"));
        var program = GeneratorRunner.Compile(
            Usings + """
            public sealed class Adder : IAdder { public Task<int> AddAsync(int a, int b) => Task.FromResult(a + b); }
            public static class Test
            {
                public static string Run() => RunAsync().GetAwaiter().GetResult();
                private static async Task<string> RunAsync()
                {
                    await using var server = await MessageHost.ListenAsync(MessageEndpoint.InProcess("generated-adder"), static host => host.AddService<IAdder>(new Adder()));
                    await using var client = await MessageHost.ConnectAsync(server.Endpoint);
                    return (await client.GetService<IAdder>().AddAsync(1)).ToString();
                }
            }
            """,
            references: Microsoft.CodeAnalysis.MetadataReference.CreateFromImage(contracts));

        Assert.Equal("6", GeneratorRunner.Run(contracts, GeneratorRunner.Emit(program)));
    }

    [Fact]
    public void Id_is_derived_from_the_interface_and_the_method_unless_it_is_set()
    {
        var files = GeneratorRunner.Generate(Usings + "namespace N { [MessageService] public interface I { Task<int> AAsync(); [MessageId(9)] Task<int> BAsync(); [MessageId(8)] event Action C; } }");

        Assert.Contains($"new MessageContract<global::Reloaded.Messaging.Generated.N_IService.AAsyncRequest>(\n            {Fnv.DeriveId("N.I.AAsync")}u,", File("AAsyncRequest"));
        Assert.Contains($"{Fnv.DeriveId("N.I.AAsync.Reply")}u,", File("AAsyncReply"));
        Assert.Contains("            9u,", File("BAsyncRequest"));
        Assert.Contains($"{Fnv.DeriveId("N.I.BAsync.Reply")}u,", File("BAsyncReply"));
        Assert.Contains("            8u,", File("CEvent"));

        string File(string name) => files.Single(file => file.Key.StartsWith($"N_I_1{name}Serializer", System.StringComparison.Ordinal)).Value;
    }

    [Theory]
    [InlineData("Task RunAsync([Secret] byte[] key);", true)]
    [InlineData("Task RunAsync(List<Login> logins);", true)]
    [InlineData("Task<Login[]> RunAsync();", true)]
    [InlineData("event Action<Login> Run;", true)]
    [InlineData("Task<int> RunAsync(int key);", false)]
    public void Message_with_a_secret_is_secret(string member, bool isSecret)
    {
        var files = GeneratorRunner.Generate(Usings + $"[Message] public record Login([Secret] byte[] Key); [MessageService] public interface I {{ {member} }}");

        Assert.Equal(isSecret, files.Any(static file => file.Key.StartsWith("I_1", System.StringComparison.Ordinal) && file.Value.Contains("isSecret: true", System.StringComparison.Ordinal)));
    }

    [Fact]
    public void Interface_with_a_fault_generates_nothing() =>
        Assert.Empty(GeneratorRunner.Generate(Usings + "[MessageService] public interface I { int Count { get; } Task RunAsync(); }"));
}
