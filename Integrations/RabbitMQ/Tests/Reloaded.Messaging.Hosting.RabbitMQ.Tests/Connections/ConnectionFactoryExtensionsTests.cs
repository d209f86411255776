using System;
using System.Linq;
using System.Reflection;
using System.Security.Authentication;
using RabbitMQ.Client;
using Reloaded.Messaging.Hosting.RabbitMQ;
using Xunit;

namespace Reloaded.Messaging.Tests.Connections;

public sealed class ConnectionFactoryExtensionsTests
{
    private static readonly string[] s_parts = [nameof(ConnectionFactory.Uri), nameof(ConnectionFactory.Endpoint)]; // made of the others
    private static readonly string[] s_recovery =
    [
        nameof(ConnectionFactory.AutomaticRecoveryEnabled),
        nameof(ConnectionFactory.TopologyRecoveryEnabled),
        nameof(ConnectionFactory.TopologyRecoveryFilter),
        nameof(ConnectionFactory.TopologyRecoveryExceptionHandler),
    ];

    [Fact]
    public void CopyWithoutRecovery_has_every_other_setting_of_its_source()
    {
        var source = new ConnectionFactory();
        var settings = typeof(ConnectionFactory).GetProperties(BindingFlags.Public | BindingFlags.Instance).Where(static one => one.CanWrite && !s_parts.Contains(one.Name)).ToList();
        foreach (var setting in settings)
            setting.SetValue(source, Other(setting, source));
        source.SocketFactory = static family => ConnectionFactoryBase.DefaultSocketFactory(family);

        var copy = source.CopyWithoutRecovery();

        Assert.All(settings.Where(static one => !s_recovery.Contains(one.Name)), one => Assert.Equal(one.GetValue(source), one.GetValue(copy)));
        Assert.Same(source.SocketFactory, copy.SocketFactory);
        Assert.Equal((false, false), (copy.AutomaticRecoveryEnabled, copy.TopologyRecoveryEnabled));
    }

    /// <summary>Returns a value that is not the default.</summary>
    private static object? Other(PropertyInfo setting, ConnectionFactory source) => setting.GetValue(source) switch
    {
        string text => text + "2",
        int number => number + 2,
        uint number => number + 2,
        ushort number => (ushort)(number - 1 + 2),
        TimeSpan time => time + TimeSpan.FromSeconds(1),
        SslProtocols => SslProtocols.Tls13,
        SslOption => new SslOption("server"),
        TopologyRecoveryFilter => new TopologyRecoveryFilter(),
        TopologyRecoveryExceptionHandler => new TopologyRecoveryExceptionHandler(),
        null when setting.PropertyType == typeof(ICredentialsProvider) => new BasicCredentialsProvider("name", "user", "password"),
        null => "text",
        var same => same,
    };
}
