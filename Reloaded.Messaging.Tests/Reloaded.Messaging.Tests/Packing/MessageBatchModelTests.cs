using System.Linq;
using System.Text;
using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Packing;

/// <summary>Compares a batch with a list of messages, over random appends of all kinds and sizes.</summary>
public sealed class MessageBatchModelTests
{
    /// <summary>The sizes of messages at which a length, an array or a limit of structs gets longer, and sizes beside them.</summary>
    private static readonly int[] s_sizes = [1, 2, 3, 63, 64, 125, 126, 127, 128, 129, 130, 255, 256, 257, 16_382, 16_383, 16_384, 16_385, 16_386];

    [Fact]
    public void Random_appends_leave_the_messages_of_the_model()
    {
        for (var seed = 0; seed < Extent.Of(50, 300); seed++)
        {
            using var run = new Run(seed);
            for (var step = 0; step < 60; step++)
                run.Step();
        }
    }

    [Fact]
    public void Serializer_that_uses_the_batch_of_its_message_gets_an_exception()
    {
        var writer = new MessageWriter();
        Action<MessageBatch>[] uses =
        [
            batch => writer.Append(batch, PackingContracts.Position, default),
            batch => writer.Append(batch, PackingContracts.Text, "nested"),
            batch => writer.TryAppend(batch, PackingContracts.Position, default),
            batch => writer.TryAppendAll(batch, PackingContracts.Position, new Position[2]),
            static batch => batch.TryAppend([1]),
            static batch => batch.Clear(),
            static batch => batch.Dispose(),
            static batch => _ = batch.Span.Length,
            static batch => _ = batch.Memory,
            static batch => _ = batch.Length,
        ];

        foreach (var (use, fails) in uses.SelectMany(static use => new[] { (use, true), (use, false) }))
        {
            using var batch = new MessageBatch();
            writer.Append(batch, PackingContracts.Text, "before");
            var contract = new MessageContract<string>(30, new UsingSerializer(() =>
            {
                var error = Assert.Throws<InvalidOperationException>(() => use(batch));
                Assert.Contains("Use another batch", error.Message, StringComparison.Ordinal);
                if (fails)
                    throw error;
            }));

            if (fails)
                Assert.Throws<InvalidOperationException>(() => writer.Append(batch, contract, "outer"));
            else
                writer.Append(batch, contract, "outer");
            writer.Append(batch, PackingContracts.Position, new Position(1, 2, 3));

            var messages = new List<string>();
            foreach (var message in batch)
                messages.Add(message[0] == 3 ? "position" : Encoding.UTF8.GetString(message.Slice(1)));
            Assert.Equal(fails ? ["before", "position"] : ["before", "outer", "position"], messages);
            Assert.Equal(messages.Count, batch.Count);
        }
    }

    private sealed class UsingSerializer(Action use) : IMessageSerializer<string>
    {
        public string Name => "using";

        public void Serialize(in string value, MessageBuffer buffer)
        {
            buffer.Write(Encoding.UTF8.GetBytes(value.Substring(0, 1)));
            use();
            buffer.Write(Encoding.UTF8.GetBytes(value.Substring(1)));
        }

        public bool TryDeserialize(ReadOnlySpan<byte> payload, out string value)
        {
            value = Encoding.UTF8.GetString(payload);
            return true;
        }
    }

    /// <summary>A batch and the model of it: the messages, and the size that their frames have.</summary>
    private sealed class Run : IDisposable
    {
        private static readonly int[] s_limits = [2, 3, 4, 15, 16, 17, 127, 128, 129, 130, 256, 300, 5_000, 16_386, 16_387, 16_388, 40_000, 4 << 20];

        private readonly int _seed;
        private readonly Random _random;
        private readonly MessageBatch _batch;
        private readonly MessageWriter _writer;
        private readonly int _maxMessage;
        private readonly List<byte[]> _model = [];
        private int _length;

        public Run(int seed)
        {
            (_seed, _random) = (seed, new Random(seed));
            _batch = new MessageBatch(s_limits[_random.Next(s_limits.Length)]);
            _maxMessage = _random.Next(3) == 0 ? 16_384 : 1 << 20;
            _writer = new MessageWriter(new MessageLimits { MaxMessageSize = _maxMessage });
        }

        public void Dispose() => _batch.Dispose();

        public void Step()
        {
            var size = s_sizes[_random.Next(_random.Next(3) == 0 ? s_sizes.Length : 7)];
            switch (_random.Next(8))
            {
                case 0:
                    var position = new Position(_random.Next(), _random.Next(), size);
                    Append(Bytes(writer => writer.Pack(PackingContracts.Position, position)), () => _writer.TryAppend(_batch, PackingContracts.Position, position));
                    break;
                case 1:
                    var large = default(Large);
                    _random.NextBytes(large[..]);
                    Append(Bytes(writer => writer.Pack(PackingContracts.Large, large)), () => _writer.TryAppend(_batch, PackingContracts.Large, large));
                    break;
                case 2 or 3:
                    var payload = PackingContracts.Random(size - 1, _random.Next());
                    Append([4, .. payload], () => _writer.TryAppend<ReadOnlyMemory<byte>>(_batch, PackingContracts.Bytes, payload));
                    break;
                case 4:
                    var message = PackingContracts.Random(size, _random.Next());
                    Append(message, () => _batch.TryAppend(message, isSecret: _random.Next(2) == 0), isLimited: false);
                    break;
                case 5:
                    AppendAll(_random.Next(0, 40));
                    break;
                case 6 when _random.Next(3) == 0:
                    _batch.Clear();
                    _model.Clear();
                    _length = 0;
                    break;
            }

            Check();
        }

        private static byte[] Bytes(Func<MessageWriter, PackedMessage> pack)
        {
            using var packed = pack(new MessageWriter());
            return packed.Span.ToArray();
        }

        private void Append(byte[] message, Func<bool> append, bool isLimited = true)
        {
            var frame = message.Length + UVarint.SizeOf((uint)message.Length);
            if ((isLimited && message.Length > _maxMessage) || (_length == 0 && frame > _batch.MaxSize))
            {
                Assert.Throws<MessageTooLargeException>(() => append());
                return;
            }

            var fits = _length + frame <= _batch.MaxSize;
            Require(fits, append(), $"TryAppend of {message.Length} bytes");
            if (fits)
                Add(message, frame);
        }

        private void AppendAll(int count)
        {
            var positions = Enumerable.Range(0, count).Select(_ => new Position(_random.Next(), 1, 2)).ToArray();
            var frame = 14;
            if (count > 0 && _length == 0 && frame > _batch.MaxSize)
            {
                Assert.Throws<MessageTooLargeException>(() => _writer.TryAppendAll(_batch, PackingContracts.Position, positions));
                return;
            }

            var fitting = Math.Min(count, (_batch.MaxSize - _length) / frame);
            Require(fitting, _writer.TryAppendAll(_batch, PackingContracts.Position, positions), "TryAppendAll");
            foreach (var position in positions.Take(fitting))
                Add(Bytes(writer => writer.Pack(PackingContracts.Position, position)), frame);
        }

        private void Add(byte[] message, int frame)
        {
            _model.Add(message);
            _length += frame;
        }

        private void Check()
        {
            Require(_model.Count, _batch.Count, "Count");
            Require(_length, _batch.Length, "Length");
            Require(_length, _batch.Memory.Length, "the length of Memory");
            var index = 0;
            foreach (var message in _batch)
            {
                if (!message.SequenceEqual(_model[index]))
                    Require(Convert.ToHexString(_model[index]), Convert.ToHexString(message), $"message {index}");
                index++;
            }

            Require(_model.Count, index, "the number of enumerated messages");
        }

        private void Require<T>(T expected, T found, string what)
        {
            if (!EqualityComparer<T>.Default.Equals(expected, found))
                Assert.Fail($"Seed {_seed}, maximum {_batch.MaxSize}, with {_model.Count} messages of {_length} bytes: {what} is {found}, and {expected} in the model.");
        }
    }
}
