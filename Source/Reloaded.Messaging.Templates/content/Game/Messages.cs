using Reloaded.Messaging;
using Reloaded.Messaging.Games;

/// <summary>Enters the lobby. The first message of each player.</summary>
[Message(1)]
public sealed record Join(string Name) : IRequest<Joined>;

/// <summary>The player's creature.</summary>
[Message(2)]
public sealed record Joined(uint Creature);

/// <summary>The direction in which a player walks, in units per second. Only the newest one counts.</summary>
[Message(3)]
public readonly record struct Steer(float X, float Y);

/// <summary>A line that everybody reads.</summary>
[Message(4)]
public sealed record Said(string Name, string Text);

/// <summary>A creature of the world. The server tracks which fields change, and sends only these.</summary>
public sealed class Creature : ITracked
{
    private const uint Position = 1;
    private const uint Naming = 2;

    public static readonly MessageContract<EntityUpdate> Updates = EntityUpdate.CreateContract(50);

    public string Name
    {
        get;
        set
        {
            field = value;
            ChangedFields |= Naming;
        }
    } = "";

    public float X { get; private set; }

    public float Y { get; private set; }

    public uint AllFields => Position | Naming;

    public uint ChangedFields { get; set; }

    public void MoveTo(float x, float y)
    {
        if (x == X && y == Y)
            return;
        (X, Y) = (x, y);
        ChangedFields |= Position;
    }

    public void WriteFields(uint fields, MessageBuffer buffer)
    {
        if ((fields & Position) != 0)
        {
            buffer.WriteFixed(X);
            buffer.WriteFixed(Y);
        }

        if ((fields & Naming) != 0)
            buffer.WriteString(Name);
    }

    public bool TryReadFields(uint fields, ref PayloadReader reader)
    {
        if ((fields & Position) != 0)
        {
            if (!reader.TryReadFixed(out float x) || !reader.TryReadFixed(out float y))
                return false;
            (X, Y) = (x, y);
        }

        if ((fields & Naming) != 0)
        {
            if (!reader.TryReadString(out var name) || name is null)
                return false;
            Name = name;
        }

        ChangedFields = 0;
        return true;
    }
}
