using System;
using System.ComponentModel;

namespace Reloaded.Messaging.Hosting;

/// <summary>The sender of requests in a <see cref="RequestTable"/>. For authors of hosts.</summary>
/// <remarks>Any thread may call the members.</remarks>
[EditorBrowsable(EditorBrowsableState.Advanced)]
public interface IRequestOwner
{
    /// <summary>Takes a request out of the table and ends it as canceled, if it is still in the table. Called when the caller's token was canceled.</summary>
    /// <param name="request">The request.</param>
    void CancelRequest(PendingRequest request);

    /// <summary>Returns a sentence that says why the connection of the request has ended, or <c>null</c> if the reason is not known.</summary>
    string? DescribeEnd();

    /// <summary>Reports that a reply could not be read because its serializer threw.</summary>
    /// <param name="type">The message type of the reply.</param>
    /// <param name="exception">The exception.</param>
    void ReportFailure(uint type, Exception exception);
}
