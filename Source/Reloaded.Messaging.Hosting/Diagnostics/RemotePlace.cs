namespace Reloaded.Messaging.Hosting;

/// <summary>The address and the port in the name of a remote side.</summary>
internal sealed class RemotePlace
{
    public RemotePlace(string name)
    {
        var hasPort = Uri.TryCreate(name, UriKind.Absolute, out var uri) && uri.Port > 0;
        Address = hasPort ? uri!.IdnHost : name.Substring(name.IndexOf("://", StringComparison.Ordinal) is >= 0 and var scheme ? scheme + 3 : 0);
        Port = hasPort ? uri!.Port : null;
    }

    /// <summary>The host, or what follows the scheme.</summary>
    public string Address { get; }

    /// <summary>The port as the value of a tag; <c>null</c> if there is none.</summary>
    public object? Port { get; }
}
