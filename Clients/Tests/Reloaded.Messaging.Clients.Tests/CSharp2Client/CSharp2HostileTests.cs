using System;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Reflection;
using System.Text.Json;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.CSharp2Client;

/// <summary>Random and mutated bytes for the client for netstandard2.0: nothing is thrown, and allocations are limited.</summary>
public sealed class CSharp2HostileTests
{
    private const int Seed = 20261126;
    private const int Payloads = 50_000;
    private const int Connections = 1_500;

    private static readonly string s_vectors = Path.Combine(AppContext.BaseDirectory, "vectors");

    [Fact]
    public async Task Payloads_never_throw_and_allocate_a_multiple_of_their_size()
    {
        var type = await LoadAsync(Path.Combine(s_vectors, "contracts.schema.json"), "Hostile");
        var read = type.GetMethod("Read")!.CreateDelegate<Func<int, byte[], bool>>();
        var count = (int)type.GetProperty("Size")!.GetValue(null)!;
        var bases = JsonDocument.Parse(await File.ReadAllBytesAsync(Path.Combine(s_vectors, "payloads.json"), TestContext.Current.CancellationToken)).RootElement.GetProperty("cases")
            .EnumerateArray().Select(static one => Convert.FromHexString(one.GetProperty("bytes").GetString()!)).ToList();
        var random = new Random(Seed);
        var (valid, worst) = (0, 0.0);
        for (var i = 0; i < Payloads; i++)
        {
            var payload = (i % 3) switch { 0 => CreateRepeated(random), 1 => CreateRandom(random), _ => Mutate(bases[random.Next(bases.Count)], random) };
            var contract = random.Next(count);
            var before = GC.GetAllocatedBytesForCurrentThread();
            valid += read(contract, payload) ? 1 : 0;
            var allocated = GC.GetAllocatedBytesForCurrentThread() - before;
            worst = Math.Max(worst, allocated / (4096.0 + (32 * payload.Length)));
        }

        Assert.InRange(valid, Payloads / 20, Payloads - 1);
        Assert.InRange(worst, 0, 4); // of the budget: objects take more memory than their costs
    }

    /// <summary>An item of one byte is an object of 64 bytes here, and a payload pays 32 bytes for each of its bytes.</summary>
    [Theory]
    [InlineData(64, true)]
    [InlineData(10_000, false)]
    public async Task Payload_above_its_budget_is_refused(int items, bool isValid)
    {
        const int NotificationBatch = 206;
        var type = await LoadAsync(Path.Combine(s_vectors, "contracts.schema.json"), "Hostile");
        byte[] count = items < 127 ? [(byte)(items + 1)] : [(byte)(((items + 1) & 0x7F) | 0x80), (byte)((items + 1) >> 7)];

        var isRead = type.GetMethod("Read")!.CreateDelegate<Func<int, byte[], bool>>()((int)type.GetMethod("Find")!.Invoke(null, [NotificationBatch])!, [1, .. count, .. Enumerable.Repeat((byte)1, items), 0]);

        Assert.Equal(isValid, isRead);
    }

    /// <summary>The hash of an ordinary number is the number, so that these keys would share a bucket.</summary>
    [Fact]
    public async Task Keys_that_collide_do_not_delay_the_reader()
    {
        var steps = (await LoadAsync(Path.Combine(s_vectors, "contracts.schema.json"), "Hostile")).GetMethod("CountCollisions")!.CreateDelegate<Func<int, int, bool, int>>();

        Assert.InRange(steps(32_768, 131_072, false), 0, 8_000); // multiples of the number of buckets, which all would collide
        Assert.Equal(-1, steps(10_000, 1, true)); // one hash for all
        Assert.Equal(0, steps(256, 1, true)); // few keys are not counted
    }

    /// <summary>The ordinary hash code of such a key is one half xor the other half, so that they are few.</summary>
    [Theory]
    [InlineData("long")]
    [InlineData("enum")]
    [InlineData("time")]
    [InlineData("guid")]
    [InlineData("double")]
    [InlineData("tuple")]
    public async Task Positions_in_a_square_do_not_collide(string type)
    {
        var steps = (await LoadAsync(Path.Combine(s_vectors, "contracts.schema.json"), "Hostile")).GetMethod("CountSquare")!.CreateDelegate<Func<int, string, int>>();

        Assert.InRange(steps(180, type), 0, 8_000);
    }

    [Fact]
    public async Task Blocks_of_LZ4_never_throw()
    {
        var decompress = (await LoadAsync(Path.Combine(s_vectors, "contracts.schema.json"), "Hostile")).GetMethod("Decompress")!.CreateDelegate<Func<byte[], byte[], bool>>();
        var random = new Random(Seed);
        byte[] block = [0x1F, 0xAA, 1, 0, 0, 0x50, 0xAA, 0xAA, 0xAA, 0xAA, 0xAA];
        var valid = 0;
        Assert.True(decompress(block, new byte[25]));
        for (var i = 0; i < Payloads; i++)
            valid += decompress(i % 2 == 0 ? Mutate(block, random) : CreateRandom(random), new byte[random.Next(64)]) ? 1 : 0;
        Assert.InRange(valid, 1, Payloads - 1);
        Assert.False(decompress([0xF0, .. Enumerable.Repeat((byte)255, 1 << 24), 0], [])); // a length that would overflow
    }

    [Fact]
    public async Task Halves_are_those_of_the_library()
    {
        var type = await LoadAsync(Path.Combine(s_vectors, "contracts.schema.json"), "Hostile");
        var (roundTrip, halfOf, ofHalf) = (type.GetMethod("Half")!.CreateDelegate<Func<int, int>>(), type.GetMethod("HalfOf")!.CreateDelegate<Func<float, int>>(), type.GetMethod("OfHalf")!.CreateDelegate<Func<int, float>>());
        for (var bits = 0; bits <= ushort.MaxValue; bits++)
        {
            var half = BitConverter.UInt16BitsToHalf((ushort)bits);
            Assert.Equal(bits, roundTrip(bits));
            Assert.Equal((float)half, ofHalf(bits));
            var middle = ((float)half + (float)BitConverter.UInt16BitsToHalf((ushort)(bits + 1))) / 2; // between two halves, mostly
            if (float.IsFinite(middle))
                Assert.Equal(BitConverter.HalfToUInt16Bits((Half)middle), halfOf(middle));
        }

        var random = new Random(Seed);
        for (var i = 0; i < Payloads; i++)
        {
            var value = BitConverter.Int32BitsToSingle(random.Next(int.MinValue, int.MaxValue));
            var expected = (Half)value;
            Assert.True(float.IsNaN(value) ? Half.IsNaN(BitConverter.UInt16BitsToHalf((ushort)halfOf(value))) : halfOf(value) == BitConverter.HalfToUInt16Bits(expected), $"{value:R}");
        }
    }

    /// <summary>Each connection gets a valid session with changed bytes, in pieces. An exception out of Poll fails the test.</summary>
    [Fact]
    public async Task Connections_end_with_a_reason_and_allocate_a_multiple_of_the_bytes()
    {
        // Events, one of them compressed; requests; replies, compressed or of a stream; a fault, a ping, a pong, hellos, cancellations and a goodbye.
        const string Frames =
            "0A1E0568656C6C01000000 0F9E09000000900568656C6C01000000 031E0100 087F011401AABBCCDD 08FF02240205AABBCC 067F0220010301 087F031F0205616263 0B7F04010102030405060708 0B7F04020102030405060708 " +
            "047F040401 047F040001 137F0400021F02410762696E6172790100000001 047F012605 047F040405 067F01268001AA 0C7F02A080FCFF0F0201000000 047F040301";
        var run = (await LoadAsync(LiveTests.Schema, "HostileServer")).GetMethod("Run")!.CreateDelegate<Func<int, string>>();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var port = ((IPEndPoint)listener.LocalEndpoint).Port;
        var (random, pieces) = (new Random(Seed), new Random(Seed)); // one for each thread
        var session = Convert.FromHexString((LiveTests.Hellos + Frames).Replace(" ", "", StringComparison.Ordinal));
        var hellos = LiveTests.Hellos.Length / 2;
        var sent = Array.Empty<byte>();
        var server = new Thread(() =>
        {
            for (var i = 0; i < Connections; i++)
                Serve(listener, () => Volatile.Read(ref sent), pieces.Next(1, 4));
        });
        server.Start();
        var ends = new Dictionary<string, int>();
        for (var i = 0; i < Connections; i++)
        {
            // Mostly, the handshake remains valid.
            Volatile.Write(ref sent, i % 4 == 0 ? Mutate(session, random) : [.. session.AsSpan(0, hellos), .. Mutate(session.AsSpan(hellos).ToArray(), random), .. i % 4 == 1 ? CreateRandom(random) : []]);
            var before = GC.GetAllocatedBytesForCurrentThread();
            var end = run(port);
            Assert.InRange(GC.GetAllocatedBytesForCurrentThread() - before, 0, 256 * 1024);
            ends[end.Split(' ')[0]] = ends.GetValueOrDefault(end.Split(' ')[0]) + 1;
        }

        Assert.True(server.Join(Deadline.Length));
        Assert.Superset(new HashSet<string> { "ConnectionLost", "NotAPeer", "Malformed", "FrameTooLarge", "Goodbye" }, ends.Keys.ToHashSet());
    }

    [Fact]
    public async Task Server_that_does_not_read_fills_the_client_up_to_its_capacity()
    {
        var fill = (await LoadAsync(LiveTests.Schema, "HostileServer")).GetMethod("Fill")!.CreateDelegate<Func<int, Action, string>>();
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        listener.Start();
        var accepted = AcceptAsync(listener);
        Task? reading = null;

        var results = fill(((IPEndPoint)listener.LocalEndpoint).Port, () => reading = Task.Run(() => ReadAll(accepted.Result), CancellationToken.None));

        Assert.Equal("Full, TooLarge, Ok", results);
        await reading!.InTime();
    }

    [Fact]
    public async Task Exception_of_a_callback_is_that_of_Poll_and_the_client_connects_again()
    {
        var fail = (await LoadAsync(LiveTests.Schema, "HostileServer")).GetMethod("Fail")!.CreateDelegate<Func<int, int, string>>();
        using var silent = new TcpListener(IPAddress.Loopback, 0);
        using var listener = new TcpListener(IPAddress.Loopback, 0);
        silent.Start();
        listener.Start();
        var accepted = AcceptAsync(listener);

        Assert.Equal("HandshakeTimeout 1 Idle", fail(((IPEndPoint)silent.LocalEndpoint).Port, ((IPEndPoint)listener.LocalEndpoint).Port));
        ReadAll(await accepted);
    }

    /// <summary>Accepts a client, and sends the hellos.</summary>
    private static async Task<Socket> AcceptAsync(TcpListener listener)
    {
        var socket = await listener.AcceptSocketAsync();
        await socket.SendAsync(Convert.FromHexString(LiveTests.Hellos));
        return socket;
    }

    private static void ReadAll(Socket socket)
    {
        using (socket)
        {
            while (socket.Receive(new byte[65536]) > 0)
            {
            }
        }
    }

    /// <summary>Sends bytes to the next client in pieces, and reads until the client closes.</summary>
    private static void Serve(TcpListener listener, Func<byte[]> getBytes, int pieces)
    {
        try
        {
            using var socket = listener.AcceptSocket();
            socket.NoDelay = true;
            var bytes = getBytes();
            for (var i = 0; i < pieces; i++)
                socket.Send(bytes, i * bytes.Length / pieces, ((i + 1) * bytes.Length / pieces) - (i * bytes.Length / pieces), SocketFlags.None);
            socket.Shutdown(SocketShutdown.Send);
            while (socket.Receive(new byte[4096]) > 0)
            {
            }
        }
        catch (SocketException)
        {
            // the client has closed before it read all bytes, or the test has failed
        }
    }

    private static byte[] CreateRandom(Random random)
    {
        var bytes = new byte[random.Next(300)];
        random.NextBytes(bytes);
        return bytes;
    }

    /// <summary>Many equal items after their count: each item may take much memory.</summary>
    private static byte[] CreateRepeated(Random random)
    {
        var bytes = new byte[2 + random.Next(20_000)];
        Array.Fill(bytes, (byte)random.Next(4));
        (bytes[0], bytes[1]) = ((byte)(0x80 | random.Next(128)), (byte)random.Next(1, 128));
        return bytes;
    }

    private static byte[] Mutate(byte[] bytes, Random random)
    {
        var changed = bytes.ToList();
        for (var count = random.Next(1, 4); count > 0 && changed.Count > 0; count--)
        {
            var position = random.Next(changed.Count);
            switch (random.Next(4))
            {
                case 0:
                    changed[position] ^= (byte)(1 << random.Next(8));
                    break;
                case 1:
                    changed[position] = (byte)random.Next(256);
                    break;
                case 2:
                    changed.Insert(position, (byte)random.Next(256));
                    break;
                default:
                    changed.RemoveAt(position);
                    break;
            }
        }

        return [.. changed];
    }

    private static async Task<Type> LoadAsync(string schema, string name)
    {
        var library = await CSharp2Program.GetAsync(CSharp2Program.NetStandard, schema, Path.Combine(CSharp2Program.Folder, "test", name + ".cs"));
        return Assembly.Load(await File.ReadAllBytesAsync(library.Path)).GetType(name)!;
    }
}
