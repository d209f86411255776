using System;
using System.Linq;
using System.Linq.Expressions;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests;

/// <summary>No code of the program runs under a lock of the library: docs/locking.md, rule 1.</summary>
public sealed class LockTests
{
    [Fact]
    public async Task Callbacks_of_hosts_run_under_no_lock()
    {
        string[] expected = ["handler", "asynchronous handler", "request handler", "tap", "PeerConnected", "PeerDisconnected", "HandlerFailed"];

        Assert.Empty(await InstrumentedLibrary.RunAsync<string[]>(typeof(LockTests).GetMethod(nameof(ExchangeAsync))!, (object)expected).InTime());
    }

    /// <summary>Exchanges messages of all kinds between two hosts whose callbacks check the held locks.</summary>
    /// <returns>The callbacks that were called under a lock, and those of <paramref name="expected"/> that were not called.</returns>
    public static async Task<string[]> ExchangeAsync(string[] expected)
    {
        var server = await MessageHost.ListenAsync(MessageEndpoint.Tcp(0), static host =>
        {
            CheckEvents(host);
            host.Tap(static (in TappedMessage _) => HeldLocks.Check("tap"));
            host.On(static (in Ping _, Peer _) => HeldLocks.Check("handler"));
            host.On(static async (Pong _, Peer _, CancellationToken _) =>
            {
                HeldLocks.Check("asynchronous handler");
                await Task.Yield();
                throw new InvalidOperationException("For the event HandlerFailed.");
            });
            host.OnRequest(static (Note note) =>
            {
                HeldLocks.Check("request handler");
                return note;
            });
        });
        var client = await MessageHost.ConnectAsync(server.Endpoint, static host =>
        {
            CheckEvents(host);
            host.Tap(static (in TappedMessage _) => HeldLocks.Check("tap"));
        });
        client.Send(new Ping(1));
        client.Send(new Pong(2));
        await client.RequestAsync<Note, Note>(new Note("a"));
        await client.DisposeAsync();
        await server.DisposeAsync();
        return [.. HeldLocks.CalledUnderLock.Values, .. expected.Except(HeldLocks.Called).Select(static callback => $"{callback} was not called.")];
    }

    /// <summary>Adds a handler to each public event of an object.</summary>
    private static void CheckEvents(object source)
    {
        foreach (var raised in source.GetType().GetEvents())
        {
            var parameters = raised.EventHandlerType!.GetMethod("Invoke")!.GetParameters();
            var call = Expression.Call(typeof(HeldLocks).GetMethod(nameof(HeldLocks.Check))!, Expression.Constant(raised.Name));
            var handler = Expression.Lambda(raised.EventHandlerType, call, parameters.Select(static parameter => Expression.Parameter(parameter.ParameterType, parameter.Name)));
            raised.AddEventHandler(source, handler.Compile());
        }
    }
}
