namespace Reloaded.Messaging.Generators.Model;

/// <summary>The uses of an argument of a service's method.</summary>
internal enum ParameterRole
{
    /// <summary>The argument is a field of the request.</summary>
    Field,

    /// <summary>The token cancels the request, and the server passes the token of the request.</summary>
    Cancellation,

    /// <summary>The argument is not used, and the server passes the peer that sent the request.</summary>
    Caller,

    /// <summary>The argument is the items of the request.</summary>
    Items,

    /// <summary>The argument receives the reports of the server.</summary>
    Progress,
}
