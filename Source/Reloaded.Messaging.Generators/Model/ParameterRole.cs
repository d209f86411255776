namespace Reloaded.Messaging.Generators.Model;

/// <summary>What the argument of a service's method is used for.</summary>
internal enum ParameterRole
{
    /// <summary>The argument is a field of the request.</summary>
    Field,

    /// <summary>The token cancels the request, and the server passes the token of the request.</summary>
    Cancellation,

    /// <summary>The argument is not used, and the server passes the peer that sent the request.</summary>
    Caller,
}
