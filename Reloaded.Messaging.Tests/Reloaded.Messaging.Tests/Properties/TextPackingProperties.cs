using FsCheck;

namespace Reloaded.Messaging.Tests.Properties;

public sealed class TextPackingProperties : PackingProperties<string>
{
    private protected override IMessageSerializer<string> Serializer { get; } = new Utf8TextSerializer();

    private protected override Gen<string> Values => Messages.Texts;

    private protected override bool AreEqual(string left, string right) => left == right;
}
