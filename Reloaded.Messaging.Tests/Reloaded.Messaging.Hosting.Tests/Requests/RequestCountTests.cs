using Reloaded.Messaging.Hosting;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Requests;

/// <summary>Each end of a request has a counter.</summary>
public sealed class RequestCountTests
{
    public static TheoryData<RequestStatus, bool> Ends
    {
        get
        {
            var ends = new TheoryData<RequestStatus, bool>();
            foreach (var status in Enum.GetValues<RequestStatus>())
            {
                ends.Add(status, false);
                ends.Add(status, true);
            }

            return ends;
        }
    }

    [Theory]
    [MemberData(nameof(Ends))]
    public async Task Request_ends_its_status_is_counted_once(RequestStatus expected, bool resends)
    {
        var isResendable = expected is not (RequestStatus.Disconnected or RequestStatus.NotSent); // a client that resends waits instead
        var options = new MessageHostOptions
        {
            Reconnect = resends && isResendable ? new ReconnectOptions { ResendsRequests = true } : null,
            Limits = new HostLimits { MaxUnansweredRequests = expected == RequestStatus.Full ? 1 : 8 },
        };
        var other = new MessageContract<Note>(3, new ThrowingSerializer<Note>(onWrite: false));
        await using var hosts = await HostPair.ConnectAsync(
            MessageEndpoint.Tcp(0),
            server =>
            {
                server.OnRequest((Ping ping) => ping.Number > 0 ? new Pong(ping.Number) : throw new RequestFaultException(1000, "no"));
                server.OnRequest<Note, Pong>(static async (_, _, token) =>
                {
                    await Task.Delay(Timeout.Infinite, token);
                    return default;
                });
            },
            clientOptions: options,
            serverOptions: new MessageHostOptions { MessageLimits = new MessageLimits { MaxMessageSize = 10_000 } });
        var client = hosts.Client;
        using var canceled = new CancellationTokenSource();
        Task? unanswered = null;

        var request = expected switch
        {
            RequestStatus.Replied => client.TryRequestAsync<Ping, Pong>(new Ping(1)),
            RequestStatus.Faulted => client.TryRequestAsync<Ping, Pong>(new Ping(0)),
            RequestStatus.TimedOut => client.TryRequestAsync<Note, Pong>(new Note(""), TimeSpan.FromMilliseconds(1)),
            RequestStatus.InvalidReply => client.TryRequestAsync(MessageContract.GetDeclared<Ping>(), new MessageContract<Pong>(72, new ThrowingSerializer<Pong>(onWrite: false)), new Ping(1)),
            RequestStatus.TooLarge => client.TryRequestAsync<Note, Pong>(new Note(new string('x', 20_000))),
            RequestStatus.ContractMismatch => client.TryRequestAsync(other, MessageContract.GetDeclared<Pong>(), new Note("")),
            RequestStatus.Full => Full(),
            RequestStatus.NotSent => await NotSentAsync(),
            _ => client.TryRequestAsync<Note, Pong>(new Note(""), cancellationToken: canceled.Token),
        };
        if (expected == RequestStatus.Canceled)
            await canceled.CancelAsync();
        if (expected == RequestStatus.Disconnected)
            await hosts.Server.DisposeAsync();

        Assert.Equal(expected, (await request.AsTask().InTime()).Status);
        foreach (var status in Enum.GetValues<RequestStatus>())
            Assert.Equal(status == expected && status != RequestStatus.Replied ? 1 : 0, client.GetCount(status));
        await client.DisposeAsync();
        if (unanswered is not null)
            await unanswered.InTime();

        ValueTask<RequestResult<Pong>> Full()
        {
            unanswered = client.TryRequestAsync<Note, Pong>(new Note("")).AsTask();
            return client.TryRequestAsync<Ping, Pong>(new Ping(1));
        }

        async Task<ValueTask<RequestResult<Pong>>> NotSentAsync()
        {
            await hosts.Server.DisposeAsync();
            await Signal.UntilAsync(() => !client.Server.IsConnected);
            return client.TryRequestAsync<Ping, Pong>(new Ping(1));
        }
    }
}
