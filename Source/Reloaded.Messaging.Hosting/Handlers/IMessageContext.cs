using System;
using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Hosting;

/// <summary>A received message's kind and the way to answer it. Implemented by structs alone, so that the calls are direct.</summary>
internal interface IMessageContext
{
    /// <summary>An event or a request.</summary>
    MessageKind Kind { get; }

    /// <summary>Whether the host has asked handlers of this origin to stop.</summary>
    bool IsStopping { get; }

    /// <summary>Sends a reply, or a fault if the reply cannot be sent.</summary>
    void Reply<TReply>(MessageContract<TReply> contract, in TReply reply, uint requestType);

    /// <summary>Sends a fault to the requester.</summary>
    void SendFault(uint type, FaultCode code, string text);

    /// <summary>Counts an exception and raises the host's event.</summary>
    void ReportFailure(uint type, Exception exception);

    /// <summary>Begins a request whose handler is asynchronous. Returns <c>null</c> if the requester cannot cancel requests.</summary>
    InFlightRequests.Answer? BeginRequest();

    /// <summary>Ends a request that was begun.</summary>
    void EndRequest(InFlightRequests.Answer answer);
}

/// <summary>A received message's origin.</summary>
/// <typeparam name="TFrom">The origin of a message.</typeparam>
internal interface IMessageContext<TFrom> : IMessageContext
{
    /// <summary>The sender.</summary>
    TFrom From { get; }
}
