using System;
using System.ComponentModel;

namespace Reloaded.Messaging.CompilerServices;

/// <summary>The values of fields that are never null and that the sender did not send. Used by generated code. One instance serves all messages, so a payload cannot ask for many.</summary>
[EditorBrowsable(EditorBrowsableState.Never)]
public static class MissingValues
{
    /// <summary>An empty relative address.</summary>
    public static readonly Uri Uri = new("", UriKind.Relative);

    /// <summary>The version 0.0.</summary>
    public static readonly Version Version = new(0, 0);
}
