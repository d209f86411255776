using System;
using System.IO;
using System.Linq;
using Reloaded.Messaging.Extensions.Hosting.RabbitMQ;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Reloaded.Messaging.Tests.Pages;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

public sealed class RabbitKeysTests
{
    [Fact]
    public void Each_key_sets_the_option_of_its_name()
    {
        SettingKeys.Check(new RabbitOptions { Name = "lobby" }, "", static (key, text) => RabbitSettingsTests.Read((key, text)).Options);
        SettingKeys.Check(new SubscriptionOptions(), "Subscriptions:results", static (key, text) => RabbitSettingsTests.Read((key, text), ("Group", "lobby"), ("Subscriptions:results:Kind", "AtLeastOnce")).Subscriptions.Single().Options);
    }

    [Theory]
    [InlineData("Tls")]
    [InlineData("Limits")]
    public void Keys_of_the_page_are_known(string section) =>
        Assert.All(SettingKeys.Find("## Settings", section), key => Assert.True(SettingKeys.IsKnown(() => RabbitSettingsTests.Read(($"{section}:{key}", "?")))));

    [Fact]
    public void Page_lists_every_log_event()
    {
        var page = File.ReadAllText(Page.PathOf("worker-services.md"));
        var source = typeof(RabbitHostBuilder).Assembly.GetType("Reloaded.Messaging.Extensions.Hosting.RabbitMQ.RabbitLog")!
            .GetMethods(System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.Public)
            .SelectMany(static method => method.GetCustomAttributes(typeof(Microsoft.Extensions.Logging.LoggerMessageAttribute), false).Cast<Microsoft.Extensions.Logging.LoggerMessageAttribute>());

        Assert.All(source, message => Assert.Contains($"\n| {message.EventId} | {message.Level} |", page, StringComparison.Ordinal));
    }
}
