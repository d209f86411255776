namespace Reloaded.Messaging.Hosting;

/// <summary>Requests a <see cref="HostInspection"/>.</summary>
[Message(LibraryTypes.InspectHost)]
internal sealed record InspectHost;
