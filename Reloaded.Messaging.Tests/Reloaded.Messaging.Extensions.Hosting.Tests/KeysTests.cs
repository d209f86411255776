using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text.RegularExpressions;
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
    private static readonly string[] s_codeOnly = [nameof(MessageHostOptions.TimeProvider), nameof(ReconnectOptions.NextEndpoint), nameof(RabbitOptions.Endpoints), nameof(SubscriptionOptions.Filter), nameof(HostLimits.Default)];

    [Theory]
    [InlineData("")]
    [InlineData("Limits")]
    [InlineData("MessageLimits")]
    [InlineData("Reconnect")]
    public void Each_key_sets_the_option_of_its_name(string section)
    {
        object defaults = section switch { "Limits" => new HostLimits(), "MessageLimits" => new MessageLimits(), "Reconnect" => new ReconnectOptions(), _ => new MessageHostOptions() };

        CheckKeys(defaults, section, (key, text) =>
        {
            var options = SettingsTests.Read(isClient: key.StartsWith("Reconnect", StringComparison.Ordinal), (key, text)).Options;
            return section switch { "Limits" => options.Limits, "MessageLimits" => options.MessageLimits, "Reconnect" => options.Reconnect!, _ => options };
        });
    }

    [Fact]
    public void Each_key_over_RabbitMQ_sets_the_option_of_its_name()
    {
        CheckKeys(new RabbitOptions { Name = "lobby" }, "", static (key, text) => RabbitSettingsTests.Read((key, text)).Options);
        CheckKeys(new SubscriptionOptions(), "Subscriptions:results", static (key, text) => RabbitSettingsTests.Read((key, text), ("Group", "lobby"), ("Subscriptions:results:Kind", "AtLeastOnce")).Subscriptions.Single().Options);
    }

    [Theory]
    [InlineData("Protection")]
    [InlineData("Tls")]
    [InlineData("Reconnect")]
    public void Keys_of_the_page_are_known(string section) => Assert.All(
        FindKeys("## Settings", section),
        key => Assert.Contains(new[] { true, false }, isClient => IsKnown(() => SettingsTests.Read(isClient, ($"{section}:{key}", "?")))));

    [Theory]
    [InlineData("Tls")]
    [InlineData("Limits")]
    public void Keys_of_the_page_are_known_over_RabbitMQ(string section) =>
        Assert.All(FindKeys("### Settings over RabbitMQ", section), key => Assert.True(IsKnown(() => RabbitSettingsTests.Read(($"{section}:{key}", "?")))));

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

    /// <summary>Reads a section with another value for each option, and checks that this option has the value, and all other options their defaults.</summary>
    private static void CheckKeys(object defaults, string section, Func<string, string, object> read)
    {
        var properties = defaults.GetType().GetProperties().Where(static property => !s_codeOnly.Contains(property.Name)).ToList();
        foreach (var property in properties)
        {
            var (key, text) = ChooseValue(property.PropertyType, property.GetValue(defaults));
            var options = read($"{section}:{property.Name}{key}".TrimStart(':'), text);

            Assert.Equal([property.Name], properties.Where(other => !Equals(other.GetValue(options), other.GetValue(defaults))).Select(static other => other.Name));
        }
    }

    /// <summary>Returns a text for a value that differs from the default, with the rest of its key.</summary>
    private static (string Key, string Text) ChooseValue(Type type, object? value) => value switch
    {
        HostLimits => (":MaxPendingBytes", "70000"),
        MessageLimits => (":MaxMessageSize", "2048"),
        _ when type == typeof(ProtectionOptions) => (":KeyBits", "128"),
        _ when type == typeof(ReconnectOptions) => (":Jitter", "0"),
        _ when type == typeof(ReadOnlyMemory<byte>) => ("", "0x0102"),
        _ when type == typeof(string) => ("", "other"),
        bool flag => ("", (!flag).ToString()),
        double => ("", "0.5"),
        FullMode => ("", nameof(FullMode.Wait)),
        Enum name => ("", Enum.GetNames(type).First(other => other != name.ToString())),
        TimeSpan time => ("", (time + TimeSpan.FromSeconds(1)).ToString()),
        int number => ("", (number + 1).ToString(CultureInfo.InvariantCulture)),
        null when type == typeof(TimeSpan?) => ("", "00:00:05"),
        null when type == typeof(int?) => ("", "3"),
        _ => throw new NotSupportedException($"Choose a value of the type {type}."),
    };

    /// <summary>Returns the keys of a row in a table of settings.</summary>
    private static List<string> FindKeys(string heading, string section)
    {
        var page = File.ReadAllText(Page.PathOf("worker-services.md"));
        var row = page[page.IndexOf($"\n{heading}\n", StringComparison.Ordinal)..].Split('\n').First(line => line.StartsWith($"| `{section}` |", StringComparison.Ordinal));
        var keys = Regex.Matches(row, "`([A-Za-z]+)`").Select(static match => match.Groups[1].Value).Skip(1).Distinct().ToList();
        Assert.NotEmpty(keys);
        return keys;
    }

    private static bool IsKnown(Action read) => Record.Exception(read)?.Message.Contains("unknown", StringComparison.Ordinal) != true;
}
