using System.IO;
using System.Net.Sockets;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>Systems that lack a component, such as Wine. An error names the component and the alternative before the transport opens anything.</summary>
public sealed class MissingComponentTests
{
    [Fact]
    public void Runtime_is_known_by_its_name() => Assert.Equal(Type.GetType("Mono.Runtime") is null, ThisRuntime.IsDotNet);

    [Theory]
    [InlineData("tcp")]
    [InlineData("udp")]
    public async Task WithToken_without_keys_on_P256_is_refused_before_anything_listens_or_connects(string scheme)
    {
        Assert.SkipWhen(CurveKeys.IsSupported, "This system has keys on P-256. Wine has none.");
        var endpoint = scheme == "tcp" ? MessageEndpoint.Tcp(0) : MessageEndpoint.Udp(0);
        var context = new TransportContext { Token = new byte[32], Protection = ProtectionOptions.WithToken() };

        var listening = await Assert.ThrowsAsync<PlatformNotSupportedException>(() => endpoint.ListenAsync(context).AsTask());
        var connecting = await Assert.ThrowsAsync<PlatformNotSupportedException>(() => endpoint.ConnectAsync(context).AsTask());

        Assert.Contains("P-256", listening.Message, StringComparison.Ordinal);
        Assert.Contains("ProtectionOptions.WithSecret", listening.Message, StringComparison.Ordinal);
        Assert.Equal(listening.Message, connecting.Message);
    }

    [Fact]
    public async Task Unix_endpoint_without_Unix_sockets_names_the_alternatives_and_leaves_no_file()
    {
        Assert.SkipWhen(Socket.OSSupportsUnixDomainSockets, "This system has Unix sockets. Wine has none.");
        var folder = Directory.CreateTempSubdirectory("rm-missing").FullName;
        var endpoint = MessageEndpoint.Unix(Path.Combine(folder, "socket"));

        var listening = await Assert.ThrowsAsync<PlatformNotSupportedException>(() => endpoint.ListenAsync(new TransportContext()).AsTask());
        var connecting = await Assert.ThrowsAsync<PlatformNotSupportedException>(() => endpoint.ConnectAsync(new TransportContext()).AsTask());

        Assert.Contains(endpoint.ToString(), listening.Message, StringComparison.Ordinal);
        Assert.Contains("MessageEndpoint.Pipe", listening.Message, StringComparison.Ordinal);
        Assert.Equal(listening.Message, connecting.Message);
        Assert.Empty(Directory.GetFiles(folder));
        Directory.Delete(folder);
    }
}
