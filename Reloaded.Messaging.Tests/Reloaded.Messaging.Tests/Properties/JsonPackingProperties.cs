using FsCheck;

namespace Reloaded.Messaging.Tests.Properties;

public sealed class JsonPackingProperties : PackingProperties<Note>
{
    private protected override IMessageSerializer<Note> Serializer { get; } = new JsonMessageSerializer<Note>(NoteContext.Default.Note);

    private protected override Gen<Note> Values => Messages.Notes;

    private protected override bool AreEqual(Note left, Note right) => left.Equals(right);
}
