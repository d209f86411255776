using System;
using System.ComponentModel;

namespace Reloaded.Messaging.Hosting;

/// <summary>The sender of requests in a <see cref="RequestTable"/>. For authors of hosts.</summary>
/// <remarks>Any thread may call the members.</remarks>
[EditorBrowsable(EditorBrowsableState.Advanced)]
public interface IRequestOwner
{
    /// <summary>Takes a request out of the table and ends it as canceled, if it is still in the table: the caller's token was canceled.</summary>
    /// <param name="request">The request.</param>
    void CancelRequest(PendingRequest request);

    /// <summary>Says why the connection that the request needs has ended, as a sentence. Returns <c>null</c> if nothing is known.</summary>
    string? DescribeEnd();

    /// <summary>Reports that a reply could not be read because its serializer threw.</summary>
    /// <param name="type">The message type of the reply.</param>
    /// <param name="exception">The exception.</param>
    void ReportFailure(uint type, Exception exception);
}
