using System;
using System.Linq;
using Microsoft.CodeAnalysis;
using Microsoft.Extensions.DependencyInjection;
using RabbitMQ.Client;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.RabbitMQ;

/// <summary>The generated methods that add the handler classes of an assembly to hosts of both kinds.</summary>
public sealed class HandlerClassTests
{
    [Fact]
    public void Handler_classes_of_an_assembly_are_added_to_the_builder_of_their_host()
    {
        var compilation = GeneratorRunner.Compile(
            """
            using System.Threading;
            using System.Threading.Tasks;
            using Reloaded.Messaging;
            using Reloaded.Messaging.Extensions.Hosting;
            using Reloaded.Messaging.Hosting;
            using Reloaded.Messaging.Hosting.RabbitMQ;
            using Microsoft.Extensions.DependencyInjection;

            [Message(1)] public record Ask(int Number);

            internal sealed class OfPeers : IEventHandler<Ask>
            {
                public ValueTask HandleAsync(Ask message, Peer from, CancellationToken token) => default;
            }

            internal sealed class OfTopics : IEventHandler<Ask, Origin>
            {
                public ValueTask HandleAsync(Ask message, Origin from, CancellationToken token) => default;
            }

            public static class Program
            {
                public static void Add(IServiceCollection services)
                {
                    services.AddMessageServer("game").AddHandlers();
                    services.AddRabbitHost("fleet").AddHandlers();
                }
            }
            """,
            references: Array.ConvertAll(
                [typeof(MessageHostBuilder), typeof(RabbitHostBuilder), typeof(RabbitHost), typeof(ConnectionFactory), typeof(IServiceCollection), typeof(ServiceCollection)],
                static type => (MetadataReference)MetadataReference.CreateFromFile(type.Assembly.Location)));

        var file = compilation.SyntaxTrees.Single(static tree => tree.FilePath.EndsWith("MessageHandlerClasses.g.cs", StringComparison.Ordinal)).ToString();
        Assert.Equal(
            ["builder.AddEventHandler<global::Ask, global::OfPeers>();", "builder.AddEventHandler<global::Ask, global::OfTopics>();"],
            file.Split('\n').Select(static line => line.Trim()).Where(static line => line.StartsWith("builder.", StringComparison.Ordinal)));
    }
}
