using System;

namespace Reloaded.Messaging.Hosting.Requests;

/// <summary>Who sent a request: what it has to be told about it.</summary>
internal interface IRequestOwner
{
    /// <summary>The caller's token ended it: takes it out of the table and ends it, if nobody else has.</summary>
    void CancelRequest(PendingRequest request);

    /// <summary>The reply could not be read because its serializer threw.</summary>
    void ReportFailure(uint type, Exception exception);
}
