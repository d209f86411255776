namespace Reloaded.Messaging.Hosting.BuildingBlocks;

/// <summary>A reply that says what its handler has opened for the requester.</summary>
internal interface IOpeningReply
{
    /// <summary>Closes what was opened, because the reply is not sent.</summary>
    /// <param name="from">The origin of the request.</param>
    void Close(object? from);
}
