namespace Reloaded.Messaging.Hosting;

/// <summary>The reports of the requests of one peer, which the peer has opened. Thread-safe.</summary>
/// <remarks>
/// A request holds one report, the newest, and the two requests for reports that wait. One of the two waits for the end of the request, so that the last report
/// is always sent. The peer reads the answers in the order of its requests for reports, also if two threads send them in another order.
/// </remarks>
internal sealed class RequestReports(Peer peer)
{
    /// <summary>The number of requests for reports of one request that wait.</summary>
    public const int Window = 2;

    private readonly Dictionary<uint, Reports> _open = []; // also its lock

    /// <summary>The number of requests whose reports are open. Read without the lock: a thread that replies to a request sees the pulls that were handled before the request.</summary>
    public int Count { get; private set; } // a field: the count of a dictionary is the difference of two fields

    /// <summary>Whether the requester of a request has opened its reports.</summary>
    public bool Contains(uint id)
    {
        lock (_open)
            return _open.ContainsKey(id);
    }

    /// <summary>Answers a request for a report of a request, at once or when there is a report.</summary>
    /// <param name="pull">The request for a report, and what it asks for.</param>
    /// <param name="context">The origin of the pull.</param>
    /// <exception cref="RequestFaultException">Thrown when the peer has too many open reports, or when two pulls wait already.</exception>
    public void Answer(StreamPull pull, MessageContext context)
    {
        Reports? reports = null;
        if (pull.MaxBytes <= 0)
            End(pull.Number);
        else
            reports = Enqueue(pull, context);
        if (reports is null)
            Reply(context, StreamBlock.End, isSecret: false);
        else
            Send(reports);
    }

    /// <summary>Sends a report, or keeps it until the peer requests it. It replaces an earlier report that is kept.</summary>
    /// <param name="id">The correlation id of the request.</param>
    /// <param name="message">The report, as an event.</param>
    /// <param name="isSecret">Whether the report is secret.</param>
    /// <returns><c>false</c> if the reports have ended; otherwise, <c>true</c>.</returns>
    public bool TryAdd(uint id, PackedMessage message, bool isSecret)
    {
        var block = StreamBlock.Frame(message.Span);
        Reports? reports;
        lock (_open)
        {
            if (_open.TryGetValue(id, out reports))
            {
                (block, reports.Newest) = (reports.Newest, block);
                reports.IsSecret = isSecret;
            }
        }

        block.Return(isSecret);
        if (reports is not null)
            Send(reports);
        return reports is not null;
    }

    /// <summary>Ends the reports of a request: answers the pulls that wait with the last report and with the end. Has no effect if the reports are not open.</summary>
    public void End(uint id)
    {
        Reports? reports;
        lock (_open)
        {
            if (_open.Remove(id, out reports))
                (Count, reports.HasEnded) = (_open.Count, true);
        }

        while (reports is not null && Send(reports))
        {
            // each answer has its own lock
        }
    }

    private Reports? Enqueue(StreamPull pull, MessageContext context)
    {
        lock (_open)
        {
            if (!_open.TryGetValue(pull.Number, out var reports))
            {
                if (pull.MaxBytes != StreamPull.OpensReports)
                    return null;
                var most = peer.Host.Options.Limits.MaxStreams;
                if (_open.Count >= most)
                    throw RequestFaultException.OfLibrary(FaultCode.TooManyStreams, $"This peer has {_open.Count} requests with reports; the limit is {most}.");
                _open.Add(pull.Number, reports = new Reports());
                Count = _open.Count;
            }

            if (reports.Pulls.Count == Window)
                throw RequestFaultException.OfLibrary(FaultCode.InvalidRequest, "Two requests for reports of this request wait already.");
            reports.Pulls.Enqueue(context with { Trace = null });
            return reports;
        }
    }

    /// <summary>Answers the oldest pull, if there is an answer. The answer is sent outside of the lock.</summary>
    /// <returns>Whether a pull was answered.</returns>
    private bool Send(Reports reports)
    {
        MessageContext pull;
        StreamBlock block;
        lock (_open)
        {
            if (reports.HasEnded ? reports.Pulls.Count == 0 : reports.Pulls.Count < Window || reports.Newest.Array is null)
                return false;
            pull = reports.Pulls.Dequeue();
            block = new StreamBlock(reports.Newest.Array, reports.Newest.Length, reports.HasEnded);
            reports.Newest = default;
        }

        Reply(pull, block, reports.IsSecret);
        return true;
    }

    private static void Reply(MessageContext pull, StreamBlock block, bool isSecret) => pull.Reply(StreamContracts.GetBlock(isSecret), block, LibraryTypes.ReportPull);

    /// <summary>The reports of one request. The lock protects the fields.</summary>
    private sealed class Reports
    {
        public readonly Queue<MessageContext> Pulls = new(Window);
        public StreamBlock Newest;
        public bool IsSecret;
        public bool HasEnded;
    }
}
