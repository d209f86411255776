using FsCheck;
using FsCheck.Fluent;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Properties;

/// <summary>What is packed is what is dispatched: for one serializer, with every compressor and every form of header.</summary>
public abstract class PackingProperties<T>
{
    private const uint ShortType = 9;
    private const uint ExtendedType = 90_000;

    private static readonly MessageWriter s_writer = new();

    private protected abstract IMessageSerializer<T> Serializer { get; }

    private protected abstract Gen<T> Values { get; }

    private protected abstract bool AreEqual(T left, T right);

    [Theory]
    [MemberData(nameof(PackingCompressors.Names), MemberType = typeof(PackingCompressors))]
    public void An_event_of_a_short_type_arrives_as_it_was_packed(string compressor)
    {
        var contract = Declare(ShortType, compressor);
        CheckArrival(contract, new MessageHeader(ShortType), value => s_writer.Pack(contract, in value));
    }

    [Theory]
    [MemberData(nameof(PackingCompressors.Names), MemberType = typeof(PackingCompressors))]
    public void An_event_of_an_extended_type_arrives_as_it_was_packed(string compressor)
    {
        var contract = Declare(ExtendedType, compressor);
        CheckArrival(contract, new MessageHeader(ExtendedType), value => s_writer.Pack(contract, in value));
    }

    [Theory]
    [MemberData(nameof(PackingCompressors.Names), MemberType = typeof(PackingCompressors))]
    public void A_request_arrives_as_it_was_packed_with_its_correlation_id(string compressor)
    {
        foreach (var type in new[] { ShortType, ExtendedType })
        {
            foreach (var id in new[] { 0u, 42u, uint.MaxValue })
            {
                var contract = Declare(type, compressor);
                CheckArrival(contract, new MessageHeader(type, MessageKind.Request, id), value => s_writer.Pack(contract, in value, MessageKind.Request, id));
            }
        }
    }

    [Theory]
    [MemberData(nameof(PackingCompressors.Names), MemberType = typeof(PackingCompressors))]
    public void Messages_in_a_batch_arrive_as_they_were_appended_and_in_order(string compressor)
    {
        var contracts = new[] { Declare(ShortType, compressor), Declare(ExtendedType, compressor) };
        var dispatcher = new MessageDispatcher<List<T>>();
        foreach (var contract in contracts)
            dispatcher.Register(contract, static (in T message, ref List<T> got) => got.Add(message));
        using var batch = new MessageBatch();

        Prop.ForAll(Values.ArrayOf().ToArbitrary(), values =>
        {
            batch.Clear();
            for (var i = 0; i < values.Length; i++)
                s_writer.Append(batch, contracts[i % 2], in values[i]);

            var got = new List<T>();
            var all = batch.Count == values.Length;
            foreach (var message in batch)
                all &= dispatcher.Dispatch(message, ref got) == DispatchStatus.Handled;

            all &= got.Count == values.Length;
            for (var i = 0; all && i < values.Length; i++)
                all = AreEqual(values[i], got[i]);
            return all;
        }).QuickCheckThrowOnFailure();
    }

    [Theory]
    [MemberData(nameof(PackingCompressors.Names), MemberType = typeof(PackingCompressors))]
    public void A_batch_holds_the_frames_of_what_packing_one_by_one_makes(string compressor)
    {
        var contract = Declare(ShortType, compressor);
        using var batch = new MessageBatch();
        Prop.ForAll(Values.ToArbitrary(), value =>
        {
            batch.Clear();
            s_writer.Append(batch, contract, in value);
            using var packed = s_writer.Pack(contract, in value);
            var source = batch.Span;
            return Frame.TryRead(ref source, int.MaxValue, out var message) == FrameStatus.Ok && source.IsEmpty && message.SequenceEqual(packed.Span);
        }).QuickCheckThrowOnFailure();
    }

    private void CheckArrival(MessageContract<T> contract, MessageHeader expected, Func<T, PackedMessage> pack)
    {
        var dispatcher = new MessageDispatcher<List<T>>();
        dispatcher.Register(contract, static (in T message, ref List<T> got) => got.Add(message));
        var plain = new MessageContract<T>(contract.Type, Serializer);
        var compressed = 0;

        Prop.ForAll(Values.ToArbitrary(), value =>
        {
            using var packed = pack(value);
            var read = MessageHeader.TryRead(packed.Span, out var header, out _);
            if (header.IsCompressed)
                compressed++;

            var got = new List<T>();
            return read == HeaderStatus.Ok
                && (header.Type, header.Kind, header.CorrelationId) == (expected.Type, expected.Kind, expected.CorrelationId)
                && dispatcher.Dispatch(packed.Span, ref got) == DispatchStatus.Handled
                && got.Count == 1
                && AreEqual(value, got[0])
                && IsNoLarger(packed.Length, plain, value, expected, contract.Compression);
        }).QuickCheckThrowOnFailure();

        Assert.Equal(contract.Compression is not null, compressed > 0);
    }

    /// <summary>Compression never makes a message larger, unless it was told to.</summary>
    private static bool IsNoLarger(int size, MessageContract<T> plain, T value, MessageHeader header, CompressionOptions? policy)
    {
        using var packed = s_writer.Pack(plain, in value, header.Kind, header.CorrelationId);
        return policy is { EvenIfLarger: true } ? size > packed.Length : size <= packed.Length;
    }

    private MessageContract<T> Declare(uint type, string compressor) => new(type, Serializer, PackingCompressors.Policy(compressor));
}
