namespace Reloaded.Messaging.Hosting;

/// <summary>The ban of an account or an address: see <see cref="BanList"/>.</summary>
public sealed class Ban
{
    internal Ban(string name, DateTimeOffset endsAt, string? reason) => (Name, EndsAt, Reason) = (name, endsAt, reason);

    /// <summary>The account or address.</summary>
    public string Name { get; }

    /// <summary>The time at which the ban ends; <see cref="DateTimeOffset.MaxValue"/> for no end.</summary>
    public DateTimeOffset EndsAt { get; }

    /// <summary>The text for the refused client; <see langword="null"/> for a text with the end of the ban.</summary>
    public string? Reason { get; }

    /// <summary>The name, the end and the reason.</summary>
    public override string ToString() => FormattableString.Invariant($"{Name} until {EndsAt:u}: {Reason}");

    /// <summary>The text that a refused client receives.</summary>
    internal string Text => Reason ?? FormattableString.Invariant($"The ban ends at {EndsAt:u}.");
}
