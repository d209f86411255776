using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Hostile;

/// <inheritdoc cref="HostileTarget"/>
internal sealed class HostileTarget<T>(MessageContract<T> contract, T[] samples, int weight = 4, bool isAsync = false) : HostileTarget(weight, isAsync)
{
    public override MessageContract Contract => contract;

    public override void Register(MessageDispatcher<long> dispatcher)
    {
        if (IsAsync)
            dispatcher.Register(contract, static (T message, long calls, System.Threading.CancellationToken token) => default(ValueTask));
        else
            dispatcher.Register(contract, static (in T message, ref long calls) => calls++);
    }

    public override List<byte[]> PackSamples(MessageWriter writer)
    {
        var packed = new List<byte[]>();
        foreach (var sample in samples)
        {
            using var message = writer.Pack(contract, in sample);
            packed.Add(message.Span.ToArray());
        }

        uint id = 1;
        foreach (var sample in samples)
        {
            using var message = writer.Pack(contract, in sample, MessageKind.Request, id *= 250);
            packed.Add(message.Span.ToArray());
        }

        return packed;
    }
}
