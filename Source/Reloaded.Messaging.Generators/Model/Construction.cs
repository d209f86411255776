namespace Reloaded.Messaging.Generators.Model;

/// <summary>How an instance is constructed.</summary>
internal enum Construction
{
    /// <summary>The instance is constructed first, then each member is set. Members that the sender did not send keep the value from the constructor.</summary>
    Setters,

    /// <summary>The instance is constructed from all values at once: by a constructor with parameters, an object initializer, or the combination.</summary>
    Values,
}
