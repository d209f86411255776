namespace Reloaded.Messaging.Tests.Properties;

public sealed class Note : IEquatable<Note>
{
    public string? Text { get; set; }

    public int Number { get; set; }

    public bool Flag { get; set; }

    public List<string> Words { get; set; } = [];

    public bool Equals(Note? other)
    {
        if (other is null || Text != other.Text || Number != other.Number || Flag != other.Flag || Words.Count != other.Words.Count)
            return false;

        for (var i = 0; i < Words.Count; i++)
        {
            if (Words[i] != other.Words[i])
                return false;
        }

        return true;
    }

    public override bool Equals(object? obj) => Equals(obj as Note);

    public override int GetHashCode() => HashCode.Combine(Text, Number);

    public override string ToString() => $"{Text} {Number} {Flag} [{string.Join("|", Words)}]";
}
