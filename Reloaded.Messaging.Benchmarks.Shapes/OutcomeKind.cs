namespace Reloaded.Messaging.Benchmarks.Shapes;

/// <summary>What became of a shape.</summary>
public enum OutcomeKind
{
    /// <summary>The value arrived.</summary>
    Works,

    /// <summary>The compiler or an analyzer reported an error of the library.</summary>
    Refused,

    /// <summary>The generated code does not compile.</summary>
    Broken,

    /// <summary>Writing or reading threw an exception.</summary>
    Throws,

    /// <summary>Another value arrived.</summary>
    Differs,
}
