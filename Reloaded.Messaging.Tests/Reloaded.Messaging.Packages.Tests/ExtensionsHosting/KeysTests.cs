using System.IO;
using System.Linq;
using Reloaded.Messaging.Extensions.Hosting;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Pages;
using Xunit;

namespace Reloaded.Messaging.Tests.Worker;

public sealed class KeysTests
{
    [Theory]
    [InlineData("")]
    [InlineData("Limits")]
    [InlineData("MessageLimits")]
    [InlineData("Reconnect")]
    public void Each_key_sets_the_option_of_its_name(string section)
    {
        object defaults = section switch { "Limits" => new HostLimits(), "MessageLimits" => new MessageLimits(), "Reconnect" => new ReconnectOptions(), _ => new MessageHostOptions() };

        SettingKeys.Check(defaults, section, (key, text) =>
        {
            var options = SettingsTests.Read(isClient: key.StartsWith("Reconnect", StringComparison.Ordinal), (key, text)).Options;
            return section switch { "Limits" => options.Limits, "MessageLimits" => options.MessageLimits, "Reconnect" => options.Reconnect!, _ => options };
        });
    }

    [Theory]
    [InlineData("Protection")]
    [InlineData("Tls")]
    [InlineData("Reconnect")]
    public void Keys_of_the_page_are_known(string section) => Assert.All(
        SettingKeys.Find("## Settings", section),
        key => Assert.Contains(new[] { true, false }, isClient => SettingKeys.IsKnown(() => SettingsTests.Read(isClient, ($"{section}:{key}", "?")))));

    [Fact]
    public void Page_lists_every_log_event()
    {
        var page = File.ReadAllText(Page.PathOf("worker-services.md"));
        var source = typeof(MessageHostBuilder).Assembly.GetType("Reloaded.Messaging.Extensions.Hosting.Log")!
            .GetMethods(System.Reflection.BindingFlags.Static | System.Reflection.BindingFlags.Public)
            .SelectMany(static method => method.GetCustomAttributes(typeof(Microsoft.Extensions.Logging.LoggerMessageAttribute), false).Cast<Microsoft.Extensions.Logging.LoggerMessageAttribute>());

        Assert.All(source, message => Assert.Contains($"\n| {message.EventId} | {message.Level} |", page, StringComparison.Ordinal));
    }
}
