namespace Reloaded.Messaging.Generators.Model;

/// <summary>How an instance comes to be.</summary>
internal enum Construction
{
    /// <summary>Made first, then each member set: what the sender didn't know keeps what the class gave it.</summary>
    Setters,

    /// <summary>Made from all values at once: by a constructor that takes them, by an object initializer, or by both.</summary>
    Values,
}
