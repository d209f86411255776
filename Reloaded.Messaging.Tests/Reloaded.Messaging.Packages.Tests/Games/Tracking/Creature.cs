using Reloaded.Messaging.Games;

namespace Reloaded.Messaging.Tests.Tracking;

/// <summary>A tracked entity, written by hand.</summary>
internal sealed class Creature : ITracked
{
    public const uint XField = 1, HealthField = 2, NameField = 4;

    public float X
    {
        get;
        set
        {
            if (field.Equals(value))
                return;
            field = value;
            ChangedFields |= XField;
        }
    }

    public int Health
    {
        get;
        set
        {
            if (field == value)
                return;
            field = value;
            ChangedFields |= HealthField;
        }
    }

    public string Name
    {
        get;
        set
        {
            if (field == value)
                return;
            field = value;
            ChangedFields |= NameField;
        }
    } = "";

    public uint AllFields => XField | HealthField | NameField;

    public uint ChangedFields { get; set; }

    /// <summary>The fields that were written, call by call.</summary>
    public uint Written { get; private set; }

    public void WriteFields(uint fields, MessageBuffer buffer)
    {
        Written |= fields;
        if (Health < 0)
            throw new InvalidOperationException("from the entity");
        if ((fields & XField) != 0)
            buffer.WriteFixed(X);
        if ((fields & HealthField) != 0)
            buffer.WriteFixed(Health);
        if ((fields & NameField) != 0)
            buffer.WriteString(Name);
    }

    public bool TryReadFields(uint fields, ref PayloadReader reader)
    {
        var changed = ChangedFields;
        if ((fields & XField) != 0)
        {
            if (!reader.TryReadFixed(out float x))
                return false;
            X = x;
        }

        if ((fields & HealthField) != 0)
        {
            if (!reader.TryReadFixed(out int health))
                return false;
            Health = health;
        }

        if ((fields & NameField) != 0)
        {
            if (!reader.TryReadString(out var name) || name is null)
                return false;
            Name = name;
        }

        ChangedFields = changed;
        return true;
    }

    public override string ToString() => FormattableString.Invariant($"{Name} {X} {Health}");
}
