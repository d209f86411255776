using System.Collections.Concurrent;
using NetMQ;
using NetMQ.Sockets;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>NetMQ over TCP: a router, and a dealer whose requests have ids. NetMQ itself has no parallel requests.</summary>
public static class NetMqEcho
{
    public static Task<(object Server, string Address)> ListenAsync(string folder)
    {
        var router = new RouterSocket();
        var port = router.BindRandomPort("tcp://127.0.0.1");
        NetMQMessage? message = null;
        router.ReceiveReady += (_, _) =>
        {
            while (router.TryReceiveMultipartMessage(ref message))
                router.SendMultipartMessage(message);
        };
        return Task.FromResult<(object, string)>((new Polling(router), $"tcp://127.0.0.1:{port}"));
    }

    public static Task<EchoClient> ConnectAsync(string address) => Task.FromResult<EchoClient>(new Client(address));

    /// <summary>A thread that serves a socket.</summary>
    private sealed class Polling : IDisposable
    {
        private readonly NetMQPoller _poller;
        private readonly NetMQSocket _socket;

        public Polling(NetMQSocket socket, ISocketPollable? requests = null)
        {
            _socket = socket;
            _poller = requests is null ? new NetMQPoller { socket } : new NetMQPoller { socket, requests };
            _poller.RunAsync();
        }

        public void Dispose()
        {
            _poller.Dispose();
            _socket.Dispose();
        }
    }

    private sealed class Client : EchoClient<byte[]>
    {
        private readonly DealerSocket _dealer;
        private readonly NetMQQueue<(long Id, byte[] Payload)> _requests = new();
        private readonly ConcurrentDictionary<long, TaskCompletionSource<byte[]>> _waiting = new();
        private readonly Polling _polling;
        private long _lastId;

        public Client(string address)
        {
            _dealer = new DealerSocket();
            _dealer.Connect(address);
            _dealer.ReceiveReady += (_, _) => Receive();
            _requests.ReceiveReady += (_, _) => Send();
            _polling = new Polling(_dealer, _requests);
        }

        public override ValueTask DisposeAsync()
        {
            _polling.Dispose();
            _requests.Dispose();
            return default;
        }

        protected override ValueTask<byte[]> EchoAsync(byte[] payload)
        {
            var id = Interlocked.Increment(ref _lastId);
            var reply = new TaskCompletionSource<byte[]>(TaskCreationOptions.RunContinuationsAsynchronously);
            _waiting[id] = reply;
            _requests.Enqueue((id, payload));
            return new ValueTask<byte[]>(reply.Task);
        }

        protected override ReadOnlyMemory<byte> BytesOf(byte[] reply) => reply;

        private void Send()
        {
            while (_requests.TryDequeue(out var request, TimeSpan.Zero))
                _dealer.SendMoreFrame(BitConverter.GetBytes(request.Id)).SendFrame(request.Payload);
        }

        private void Receive()
        {
            while (_dealer.TryReceiveFrameBytes(out var id))
            {
                var payload = _dealer.ReceiveFrameBytes();
                if (!_waiting.TryRemove(BitConverter.ToInt64(id), out var reply))
                    throw new InvalidOperationException("A reply arrived, and no request with its id is in flight.");
                reply.SetResult(payload);
            }
        }
    }
}
