using System.Linq;
using Reloaded.Messaging.Games;

namespace Reloaded.Messaging.Tests.Tracking;

/// <summary>The other side: its copies of the entities, kept by the updates that it gets.</summary>
internal sealed class Copies
{
    public static readonly MessageContract<EntityUpdate> Contract = EntityUpdate.CreateContract(9);

    private static readonly MessageWriter s_writer = new();

    private readonly MessageDispatcher<Copies> _dispatcher = new();

    public Copies() => _dispatcher.Register(Contract, static (in EntityUpdate update, ref Copies copies) => copies.Apply(update));

    public Dictionary<uint, Creature> All { get; } = [];

    public int Refused { get; private set; }

    /// <summary>Sends an update over the wire format.</summary>
    /// <returns>Its payload.</returns>
    public byte[] Receive(EntityUpdate update)
    {
        using var packed = s_writer.Pack(Contract, update);
        Receive(packed.Span.Slice(1).ToArray());
        return packed.Span.Slice(1).ToArray();
    }

    public DispatchStatus Receive(params byte[] payload)
    {
        var self = this;
        return _dispatcher.Dispatch([9, .. payload], ref self);
    }

    public string[] Texts() => All.OrderBy(entity => entity.Key).Select(entity => $"{entity.Key}: {entity.Value}").ToArray();

    private void Apply(EntityUpdate update)
    {
        var reader = update.GetReader();
        while (reader.TryNext(out var id, out var isGone))
        {
            if (isGone)
                All.Remove(id);
            else if (!reader.TryApply(All.TryGetValue(id, out var known) ? known : All[id] = new Creature()))
                Refused++;
        }
    }
}
