using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>An event handler may wait for the disposal of its host, also if that disposal raises the event.</summary>
public sealed class NestedDisposalTests
{
    [Theory]
    [InlineData("PeerDisconnected")]
    [InlineData("ConnectionRefused")]
    [InlineData("MessagesUnhandled")]
    public async Task Event_handler_that_waits_for_the_disposal_that_raised_its_event_does_not_wait_for_itself(string raised)
    {
        var ended = Signal.New<bool>();
        var options = new MessageHostOptions { FlushTimeout = TimeSpan.FromMilliseconds(20), IsPumped = raised == "MessagesUnhandled" };
        var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), host => host.On((in Ping _, Peer _) => { }), options);
        server.PeerDisconnected += (_, _) => EndIn("PeerDisconnected");
        server.ConnectionRefused += _ => EndIn("ConnectionRefused");
        server.MessagesUnhandled += (_, _) => EndIn("MessagesUnhandled");
        using var raw = raised == "ConnectionRefused" ? await RawPeer.ConnectAsync(server.Endpoint) : await RawPeer.HandshakeAsync(server.Endpoint); // it does not answer a goodbye
        await Signal.UntilAsync(() => server.Registry.Count == 1);
        if (raised == "MessagesUnhandled")
        {
            await raw.SendAsync(RawPeer.Frame(MessageKind.Event, 1, 0, BitConverter.GetBytes(1)));
            await Signal.UntilAsync(() => server.Inbox!.Count == 1);
        }

        await server.DisposeAsync().AsTask().InTime();

        Assert.True(await ended.Task.InTime());

        void EndIn(string name)
        {
            if (name == raised)
                ended.TrySetResult(server.DisposeAsync().AsTask().Wait(Deadline.Length / 2));
        }
    }
}
