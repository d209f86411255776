using System.Diagnostics.CodeAnalysis;
using System.Text;

namespace Reloaded.Messaging.Tests.Dispatching;

internal sealed class ModTextSerializer : IMessageSerializer<ModText>
{
    public string Name => "mod text";

    public void Serialize(in ModText value, MessageBuffer buffer) => buffer.Write(Encoding.UTF8.GetBytes(value.Text));

    public bool TryDeserialize(ReadOnlySpan<byte> payload, [MaybeNullWhen(false)] out ModText value)
    {
        value = new ModText(Encoding.UTF8.GetString(payload));
        return true;
    }
}
