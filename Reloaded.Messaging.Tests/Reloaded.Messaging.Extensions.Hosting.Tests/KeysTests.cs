using System;
using System.IO;
using System.Linq;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Options;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Pages;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

public sealed class KeysTests
{
    /// <summary>A property that is added to the options needs a key, or a reason in this list.</summary>
    private static readonly string[] s_codeOnly = [nameof(MessageHostOptions.TimeProvider), nameof(ReconnectOptions.NextEndpoint), nameof(HostLimits.Default)];

    [Theory]
    [InlineData(typeof(MessageHostOptions), "")]
    [InlineData(typeof(HostLimits), "Limits:")]
    [InlineData(typeof(MessageLimits), "MessageLimits:")]
    [InlineData(typeof(ReconnectOptions), "Reconnect:")]
    public void Each_option_has_a_key(Type options, string section)
    {
        foreach (var property in options.GetProperties().Select(static property => property.Name).Except(s_codeOnly))
        {
            var builder = TestProgram.Create(new LogRecorder(), ("game:Endpoint", "local:game"), ($"game:{section}{property}", "?"));
            _ = (section + property).StartsWith(nameof(MessageHostOptions.Reconnect), StringComparison.Ordinal) ? builder.Services.AddMessageClient("game") : builder.Services.AddMessageServer("game");
            using var program = builder.Build();
            var error = Record.Exception(() => program.Services.GetRequiredService<IOptionsMonitor<MessageHostSettings>>().Get("game"));

            Assert.DoesNotContain("unknown", error?.Message ?? "", StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(typeof(RabbitOptions), "")]
    [InlineData(typeof(SubscriptionOptions), "Subscriptions:results:")]
    public void Each_option_over_RabbitMQ_has_a_key(Type options, string section)
    {
        foreach (var property in options.GetProperties().Select(static property => property.Name).Except([nameof(RabbitOptions.Endpoints), nameof(SubscriptionOptions.Default)]))
        {
            var builder = TestProgram.Create(new LogRecorder(), ("lobby:Endpoint", "amqp://localhost"), ($"lobby:{section}{property}", "?"));
            builder.Services.AddRabbitHost("lobby");
            using var program = builder.Build();
            var error = Record.Exception(() => program.Services.GetRequiredService<IOptionsMonitor<RabbitHostSettings>>().Get("lobby"));

            Assert.DoesNotContain("unknown", error?.Message ?? "", StringComparison.Ordinal);
        }
    }

    [Theory]
    [InlineData(typeof(MessageHostBuilder), "Reloaded.Messaging.Extensions.Hosting.Log")]
    [InlineData(typeof(RabbitHostBuilder), "Reloaded.Messaging.Extensions.Hosting.RabbitMQ.RabbitLog")]
    public void Page_lists_every_log_event(Type inAssembly, string log)
    {
        var page = File.ReadAllText(Page.PathOf("worker-services.md"));
        var source = inAssembly.Assembly.GetType(log)!
            .GetMethods(System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.Public)
            .SelectMany(static method => method.GetCustomAttributes(typeof(Microsoft.Extensions.Logging.LoggerMessageAttribute), false).Cast<Microsoft.Extensions.Logging.LoggerMessageAttribute>());

        Assert.All(source, message => Assert.Contains($"\n| {message.EventId} | {message.Level} |", page, StringComparison.Ordinal));
    }
}
