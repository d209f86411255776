using System.IO;
using System.Net;
using System.Net.Sockets;
using System.Threading.Tasks.Sources;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts.Peers;

/// <summary>The floor: the work of a request over a plain socket, written by hand. It has ids, a table of slots, a completion for each request on the thread pool, a handler for each frame, and checks of each length and id.</summary>
/// <remarks>The id of a frame is that of the request. Frames that are written during a write, or by the continuations of one read, are sent together.</remarks>
public static class SocketEcho
{
    private const int Block = 64 * 1024; // more bytes are sent before the other frames of a read are handled

    public static Task<(object Server, string Address)> ListenAsync(MessageEndpoint endpoint)
    {
        var listener = BareSockets.Listen(endpoint);
        _ = BareSockets.AcceptAllAsync(listener, ServeAsync, CancellationToken.None);
        var bound = endpoint.Transport.IsLocal ? endpoint : endpoint with { Port = ((IPEndPoint)listener.LocalEndPoint!).Port };
        return Task.FromResult<(object, string)>((listener, bound.ToString()));
    }

    public static async Task<EchoClient> ConnectAsync(string address) => new SocketClient(await BareSockets.ConnectAsync(MessageEndpoint.Parse(address)));

    /// <summary>Returns the payload of each frame to the sender.</summary>
    public static async Task ServeAsync(Socket socket)
    {
        using var owned = socket;
        await ServeAsync(BareLink.Of(socket));
    }

    /// <inheritdoc cref="ServeAsync(Socket)"/>
    internal static async Task ServeAsync(BareLink link)
    {
        Func<byte[], byte[]> handle = static payload => payload;
        var (input, output) = (new BareFrameReader(link), new BareFrameBuffer());
        while (await input.ReadAsync())
        {
            while (input.TryTake(out var id, out var payload))
            {
                output.Append(id, handle(payload.ToArray()));
                if (output.Count >= Block)
                    await output.SendAsync(link);
            }

            await output.SendAsync(link);
        }
    }

    private sealed class SocketClient(Socket socket) : EchoClient<byte[]>
    {
        private readonly Client _client = new(BareLink.Of(socket), completesInline: false);

        public override ValueTask DisposeAsync()
        {
            socket.Dispose();
            return default;
        }

        protected override ValueTask<byte[]> EchoAsync(byte[] payload) => _client.EchoAsync(payload);

        protected override ReadOnlyMemory<byte> BytesOf(byte[] reply) => reply;
    }

    /// <summary>The requests of one connection.</summary>
    internal sealed class Client
    {
        private const int SlotBits = 8;

        private readonly Lock _gate = new();
        private readonly BareLink _link;
        private readonly bool _completesInline;
        private readonly Slot[] _slots = new Slot[1 << SlotBits];
        private readonly Stack<Slot> _free = new(1 << SlotBits);
        private readonly Stack<Completions> _spare = new();
        private BareFrameBuffer _pending = new();
        private BareFrameBuffer _writing = new();
        private bool _isFlushing;
        private int _completing; // the blocks of completions that run; the last one sends what their continuations wrote

        /// <param name="link">The connection.</param>
        /// <param name="completesInline">Whether continuations run on the thread that receives, instead of the thread pool.</param>
        public Client(BareLink link, bool completesInline)
        {
            (_link, _completesInline) = (link, completesInline);
            for (var i = 0; i < _slots.Length; i++)
                _free.Push(_slots[i] = new Slot(this, i));
            _ = ReceiveAsync();
        }

        public ValueTask<byte[]> EchoAsync(byte[] payload)
        {
            Slot slot;
            bool flushes;
            lock (_gate)
            {
                slot = _free.Pop();
                _pending.Append(slot.Id, payload);
                flushes = !_isFlushing && (_completing == 0 || _pending.Count >= Block);
                _isFlushing |= flushes;
            }

            if (flushes)
                _ = FlushAsync();
            return slot.Reply;
        }

        /// <summary>Delays the frames until the matching <see cref="Uncork"/>.</summary>
        public void Cork()
        {
            lock (_gate)
                _completing++;
        }

        /// <summary>Ends a <see cref="Cork"/>. The last call sends the frames.</summary>
        public void Uncork()
        {
            lock (_gate)
            {
                if (--_completing > 0 || _isFlushing)
                    return;
                _isFlushing = true;
            }

            _ = FlushAsync();
        }

        private async Task FlushAsync()
        {
            while (true)
            {
                lock (_gate)
                {
                    if (_pending.Count == 0)
                    {
                        _isFlushing = false;
                        return;
                    }

                    (_pending, _writing) = (_writing, _pending);
                }

                await _writing.SendAsync(_link);
            }
        }

        private async Task ReceiveAsync()
        {
            var input = new BareFrameReader(_link);
            while (await input.ReadAsync())
            {
                var ended = Rent();
                while (input.TryTake(out var id, out var payload))
                {
                    var slot = _slots[id & (_slots.Length - 1)];
                    if (!slot.TryEnd(id))
                        throw new InvalidDataException($"A reply has the id {id}, and no request with this id is in flight.");
                    ended.Add(slot, payload.ToArray());
                }

                if (_completesInline)
                    ended.Execute();
                else
                    ThreadPool.UnsafeQueueUserWorkItem(ended, preferLocal: false);
            }
        }

        private Completions Rent()
        {
            lock (_gate)
                return _spare.TryPop(out var spare) ? spare : new Completions(this);
        }

        /// <summary>The requests that one read ended. Their continuations run on the thread pool.</summary>
        private sealed class Completions(Client client) : IThreadPoolWorkItem
        {
            private readonly List<(Slot Slot, byte[] Reply)> _ended = new(1 << SlotBits);

            public void Add(Slot slot, byte[] reply) => _ended.Add((slot, reply));

            public void Execute()
            {
                client.Cork();
                foreach (var (slot, reply) in _ended)
                    slot.Complete(reply);
                _ended.Clear();
                lock (client._gate)
                    client._spare.Push(this);
                client.Uncork();
            }
        }

        /// <summary>A place in the table of requests. Its id changes with each request, so that a reply cannot end a later request.</summary>
        private sealed class Slot(Client client, int index) : IValueTaskSource<byte[]>
        {
            private ManualResetValueTaskSourceCore<byte[]> _core;

            private int _ended = index - (1 << SlotBits);

            public int Id { get; private set; } = index;

            public ValueTask<byte[]> Reply => new(this, _core.Version);

            /// <summary>Returns whether a reply is the first one to the current request.</summary>
            public bool TryEnd(int id) => id == Id && Interlocked.Exchange(ref _ended, id) != id;

            public void Complete(byte[] reply) => _core.SetResult(reply);

            public byte[] GetResult(short token)
            {
                var reply = _core.GetResult(token);
                _core.Reset();
                lock (client._gate)
                {
                    Id += 1 << SlotBits;
                    client._free.Push(this);
                }

                return reply;
            }

            public ValueTaskSourceStatus GetStatus(short token) => _core.GetStatus(token);

            public void OnCompleted(Action<object?> continuation, object? state, short token, ValueTaskSourceOnCompletedFlags flags) => _core.OnCompleted(continuation, state, token, flags);
        }
    }
}
