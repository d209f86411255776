using System.Linq;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>A message that is too large names its type, its size and the option to raise, whatever it contains and by whatever method it is sent.</summary>
public sealed class TooLargeTextTests
{
    private const int TooMany = 2_000_000;

    [Theory]
    [InlineData(nameof(LargeText))]
    [InlineData(nameof(LargeBytes))]
    [InlineData(nameof(LargeNumbers))]
    public async Task Message_too_large_names_type_and_limit(string name)
    {
        await using var hosts = await HostPair.ConnectAsync(MessageEndpoint.Tcp(0));
        IRequest<Pong> message = name switch
        {
            nameof(LargeText) => new LargeText(new string('x', TooMany)),
            nameof(LargeBytes) => new LargeBytes(new byte[TooMany]),
            _ => new LargeNumbers([.. Enumerable.Range(0, TooMany)]),
        };

        var asRequest = await Assert.ThrowsAsync<MessageTooLargeException>(() => hosts.Client.RequestAsync(message).AsTask());
        var asEvent = Assert.Throws<MessageTooLargeException>(() => message switch
        {
            LargeText text => hosts.Client.Send(text),
            LargeBytes bytes => hosts.Client.Send(bytes),
            _ => hosts.Client.Send((LargeNumbers)message),
        });

        foreach (var thrown in new[] { asRequest, asEvent })
        {
            Assert.StartsWith($"{message.GetType()} takes {thrown.Size} bytes or more, and the limit MaxMessageSize is {MessageLimits.Default.MaxMessageSize}.", thrown.Message, StringComparison.Ordinal);
            Assert.True(thrown.Size > thrown.Limit);
        }
    }
}

[Message(280)]
public sealed record LargeText(string Text) : IRequest<Pong>;

[Message(281)]
public sealed record LargeBytes(byte[] Bytes) : IRequest<Pong>;

[Message(282)]
public sealed record LargeNumbers(List<int> Numbers) : IRequest<Pong>;
