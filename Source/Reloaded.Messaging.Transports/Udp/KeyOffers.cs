using System.Net;
using System.Threading.Channels;

namespace Reloaded.Messaging;

/// <summary>The key offers that wait for an answer. They are answered one after the other on the thread pool, so that an exchange of keys does not delay the datagrams of connected peers.</summary>
/// <remarks>
/// Unauthenticated senders cause this work, so the number of waiting offers and the time of the work are limited. An offer above a limit is not added; the client sends it again.
/// One thread adds offers, the one that receives.
/// </remarks>
internal sealed class KeyOffers
{
    /// <summary>The maximum number of offers that wait.</summary>
    public const int MaxWaiting = 32;

    private readonly Channel<(KeyOffer Offer, WorkShare Share)> _waiting = Channel.CreateBounded<(KeyOffer, WorkShare)>(MaxWaiting);
    private readonly OfferAdmission _admission = new();
    private readonly TimeProvider _time;
    private readonly Action<KeyOffer> _answer;
    private readonly Action<Exception> _failed;
    private readonly long _begun;

    /// <param name="time">Measures the work.</param>
    /// <param name="answer">Answers an offer.</param>
    /// <param name="failed">Receives an exception of <paramref name="answer"/>.</param>
    public KeyOffers(TimeProvider time, Action<KeyOffer> answer, Action<Exception> failed)
    {
        (_time, _answer, _failed, _begun) = (time, answer, failed, time.GetTimestamp());
        _ = Detached.Run(AnswerAsync);
    }

    private TimeSpan Now => _time.GetElapsedTime(_begun);

    /// <summary>Returns whether an offer of a source can be added.</summary>
    public bool HasRoom(ReadOnlySpan<byte> source) => _admission.HasRoom(source, _waiting.Reader.Count, Now);

    /// <summary>Adds an offer, after <see cref="HasRoom"/> of its source.</summary>
    /// <returns><see langword="false"/> after <see cref="Complete"/>; otherwise, <see langword="true"/>.</returns>
    public bool TryAdd(KeyOffer offer) => _waiting.Writer.TryWrite((offer, _admission.Add(UdpSocket.SourceOf(offer.From), Now)));

    /// <summary>Adds no more offers. The offers that wait are still passed on.</summary>
    public void Complete() => _waiting.Writer.TryComplete();

    private async Task AnswerAsync()
    {
        while (await _waiting.Reader.WaitToReadAsync().ConfigureAwait(false))
        {
            while (_waiting.Reader.TryRead(out var next))
                Answer(next.Offer, next.Share);
        }
    }

    private void Answer(KeyOffer offer, WorkShare share)
    {
        try
        {
            var start = Now;
            _answer(offer);
            share.Note(start, Now);
        }
        catch (Exception e)
        {
            _failed(e);
        }
    }
}

/// <summary>An offer of a client whose address was verified.</summary>
/// <param name="Id">The id of the connection.</param>
/// <param name="Random">The random bytes of the client.</param>
/// <param name="Offer">The offer.</param>
/// <param name="From">The address of the client.</param>
internal sealed record KeyOffer(ulong Id, byte[] Random, byte[] Offer, SocketAddress From);
