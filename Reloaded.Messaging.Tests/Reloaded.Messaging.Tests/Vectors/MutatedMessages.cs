using System.Linq;
using System.Security.Cryptography;
using System.Text.Json.Nodes;
using Reloaded.Messaging.Tests.Generated;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Vectors;

/// <summary>100,000 mutated messages and the dispatcher's verdicts. docs/vectors/README.md specifies the mutations, so that other languages make the same messages.</summary>
internal sealed class MutatedMessages
{
    private const int Blocks = 100;
    private const int BlockSize = 1000;

    private readonly List<(byte[] Message, int HeaderSize)> _bases = [];
    private readonly MessageDispatcher<int> _dispatcher = new();
    private uint _state = 0x2545F491;

    private MutatedMessages()
    {
        var registered = new HashSet<uint>();
        foreach (var row in BinaryFormatPage.Table("Valid payloads"))
        {
            var sample = WireSamples.Find(row[0], row[1]);
            if (registered.Add(sample.Id))
                sample.Register(_dispatcher);
            using var packed = new MessageWriter().PackRaw(new MessageHeader(sample.Id, MessageKind.Event), sample.Encode());
            _bases.Add((packed.Span.ToArray(), packed.Length - sample.Encode().Length));
        }
    }

    public static VectorFile Make()
    {
        var file = new VectorFile("mutations", "The verdicts on 100,000 mutated messages, in blocks of 1000. counts: how often each verdict occurs. sha256: the hash of the block's 1000 verdicts, a byte each. README.md specifies the mutations and the verdicts.");
        var messages = new MutatedMessages();
        for (var block = 0; block < Blocks; block++)
        {
            var verdicts = new byte[BlockSize];
            for (var i = 0; i < BlockSize; i++)
                verdicts[i] = messages.Judge(messages.Next((block * BlockSize) + i));
            var counts = Enumerable.Range(0, 5).Select(verdict => JsonValue.Create(verdicts.Count(one => one == verdict)));
            file.Add($"{block * BlockSize} to {((block + 1) * BlockSize) - 1}", new JsonObject { ["counts"] = new JsonArray([.. counts]), ["sha256"] = VectorFile.Hex(SHA256.HashData(verdicts)) });
        }

        return file;
    }

    private byte[] Next(int index)
    {
        var (message, headerSize) = _bases[index % _bases.Count];
        var bytes = message.ToList();
        for (var left = 1 + Draw(3); left > 0; left--)
        {
            var operation = Draw(5);
            var start = Draw(8) == 0 ? 0 : Math.Min(headerSize, bytes.Count);
            if (start == bytes.Count)
                operation = 3;
            var position = start + (operation == 3 ? Draw(bytes.Count - start + 1) : Draw(bytes.Count - start));
            switch (operation)
            {
                case 0:
                    bytes[position] ^= (byte)(1 << Draw(8));
                    break;
                case 1:
                    bytes[position] = (byte)Draw(256);
                    break;
                case 2:
                    bytes.RemoveRange(position, bytes.Count - position);
                    break;
                case 3:
                    bytes.Insert(position, (byte)Draw(256));
                    break;
                default:
                    bytes.RemoveAt(position);
                    break;
            }
        }

        return [.. bytes];
    }

    private byte Judge(byte[] message)
    {
        var state = 0;
        return _dispatcher.Dispatch(message, ref state) switch
        {
            DispatchStatus.Handled => 0,
            DispatchStatus.Malformed => 1,
            DispatchStatus.NotForHandlers => 2,
            DispatchStatus.NoHandler => 3,
            DispatchStatus.InvalidPayload => 4,
            var status => throw new InvalidOperationException($"The verdict {status} has no number in docs/vectors/README.md."),
        };
    }

    /// <summary>A number below the bound, of the generator xorshift32.</summary>
    private int Draw(int bound)
    {
        _state ^= _state << 13;
        _state ^= _state >> 17;
        _state ^= _state << 5;
        return (int)(_state % (uint)bound);
    }
}
