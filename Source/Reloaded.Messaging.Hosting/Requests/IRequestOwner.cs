using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Who sent a request: what it has to be told about it.</summary>
internal interface IRequestOwner
{
    /// <summary>The caller's token ended it: takes it out of the table and ends it, if nobody else has.</summary>
    void CancelRequest(PendingRequest request);

    /// <summary>Says why the connection that the request needs has ended, as a sentence. Returns <c>null</c> if nothing is known.</summary>
    string? DescribeEnd();

    /// <summary>The reply could not be read because its serializer threw.</summary>
    void ReportFailure(uint type, Exception exception);
}
