using FsCheck;

namespace Reloaded.Messaging.Tests.Properties;

public sealed class BlittablePackingProperties : PackingProperties<Lanes>
{
    private protected override IMessageSerializer<Lanes> Serializer { get; } = new BlittableSerializer<Lanes>();

    private protected override Gen<Lanes> Values => Messages.Lanes;

    private protected override bool AreEqual(Lanes left, Lanes right) => left == right;
}
