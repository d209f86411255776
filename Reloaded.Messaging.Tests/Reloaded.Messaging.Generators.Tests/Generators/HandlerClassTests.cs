using System.Globalization;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Generators;

/// <summary>The methods that add the handler classes of an assembly to hosts.</summary>
public sealed class HandlerClassTests
{
    private const string Classes = """
        using System.Threading;
        using System.Threading.Tasks;
        using Reloaded.Messaging;
        using Reloaded.Messaging.Extensions.Hosting;
        using Reloaded.Messaging.Hosting;
        using Microsoft.Extensions.DependencyInjection;

        [Message(1)] public record Ask(int Number);
        [Message(2)] public record Answer(int Number);

        namespace Game
        {
            public abstract class Base<T> : IEventHandler<T>
            {
                public ValueTask HandleAsync(T message, Peer from, CancellationToken token) => default;
            }

            internal sealed class Both : Base<Ask>, IRequestHandler<Answer, Ask>
            {
                public ValueTask<Ask> HandleAsync(Answer request, Peer from, CancellationToken token) => default;
                private sealed class Hidden : Base<Answer>;
            }

            internal static class Outer
            {
                internal sealed record Nested : IEventHandler<Ask>
                {
                    public ValueTask HandleAsync(Ask message, Peer from, CancellationToken token) => default;
                }
            }

            internal sealed class Generic<T> : Base<T>
            {
                internal sealed class Inner : Base<Answer>;
            }

            internal record struct Value : IEventHandler<Answer>
            {
                public ValueTask HandleAsync(Answer message, Peer from, CancellationToken token) => default;
            }

            file sealed class Local : Base<Answer>;
            public sealed class Other : System.IDisposable { public void Dispose() { } }
        }
        """;

    private static readonly MetadataReference[] s_packages = Array.ConvertAll(
        [typeof(MessageHostBuilder), typeof(IServiceCollection), typeof(ServiceCollection)],
        static type => (MetadataReference)MetadataReference.CreateFromFile(type.Assembly.Location));

    [Fact]
    public void Handler_classes_of_an_assembly_are_added_to_the_builder_of_their_host()
    {
        var compilation = GeneratorRunner.Compile(
            Classes + """
            public static class Program
            {
                public static void Add(IServiceCollection services)
                {
                    services.AddMessageServer("game").AddHandlers().AddFilter<Empty>();
                }
                private sealed class Empty : IHandlerFilter { public ValueTask InvokeAsync(HandlerCall call) => call.NextAsync(); }
            }
            """,
            references: s_packages);

        var file = compilation.SyntaxTrees.Single(static tree => tree.FilePath.EndsWith("MessageHandlerClasses.g.cs", StringComparison.Ordinal)).ToString();
        Assert.Equal(
            [
                "builder.AddEventHandler<global::Ask, global::Game.Both>();",
                "builder.AddEventHandler<global::Ask, global::Game.Outer.Nested>();",
                "builder.AddRequestHandler<global::Answer, global::Ask, global::Game.Both>();",
            ],
            file.Split('\n').Select(static line => line.Trim()).Where(static line => line.StartsWith("builder.", StringComparison.Ordinal)));
    }

    [Fact]
    public void Assembly_without_handler_classes_has_no_method() =>
        Assert.DoesNotContain("MessageHandlerClasses.g.cs", GeneratorRunner.Generate("[Reloaded.Messaging.Message(1)] public record Ask(int Number); public interface IEventHandler<T, TFrom>; public class A : IEventHandler<Ask, int>;").Keys);

    [Fact]
    public void Second_assembly_whose_internals_are_visible_makes_AddHandlers_an_error_that_names_both_classes()
    {
        var library = GeneratorRunner.Compile(
            Classes.Replace("[Message(1)]", "[assembly: System.Runtime.CompilerServices.InternalsVisibleTo(\"Program\")]\n[Message(1)]", StringComparison.Ordinal), name: "Library", references: s_packages);
        Compilation Program(string call) => GeneratorRunner.Create(
            """
            using System.Threading;
            using System.Threading.Tasks;
            using Reloaded.Messaging.Extensions.Hosting;
            using Reloaded.Messaging.Hosting;
            using Microsoft.Extensions.DependencyInjection;

            internal sealed class Mine : IEventHandler<Ask>
            {
                public ValueTask HandleAsync(Ask message, Peer from, CancellationToken token) => default;
            }

            public static class Program
            {
                public static void Add(IServiceCollection services) => CALL;
            }
            """.Replace("CALL", call, StringComparison.Ordinal),
            name: "Program",
            references: [.. s_packages, MetadataReference.CreateFromImage(GeneratorRunner.Emit(library))]);

        var error = Assert.Single(FindErrorsThatNameTheClass(Program("services.AddMessageServer(\"game\").AddHandlers()")));

        Assert.Equal("CS0121", error.Id);
        Assert.Contains("Library_MessageHandlerClasses", error.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal);
        Assert.Empty(FindErrorsThatNameTheClass(Program("Program_MessageHandlerClasses.AddHandlers(services.AddMessageServer(\"game\"))")));
    }

    [Fact]
    public void Class_of_the_program_with_the_name_of_the_generated_class_is_an_error_that_names_it() => Assert.NotEmpty(FindErrorsThatNameTheClass(
        GeneratorRunner.Create(Classes + "namespace Microsoft.Extensions.DependencyInjection { public static class Checked_MessageHandlerClasses { } }", references: s_packages)));

    private static Diagnostic[] FindErrorsThatNameTheClass(Compilation program)
    {
        GeneratorRunner.Driver().RunGeneratorsAndUpdateCompilation(program, out var output, out _, TestContext.Current.CancellationToken);
        Diagnostic[] errors = [.. output.GetDiagnostics(TestContext.Current.CancellationToken).Where(static one => one.Severity == DiagnosticSeverity.Error)];
        Assert.All(errors, static error => Assert.Contains("_MessageHandlerClasses", error.GetMessage(CultureInfo.InvariantCulture), StringComparison.Ordinal));
        return errors;
    }
}
