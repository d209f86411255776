using System.IO;
using System.Runtime.ExceptionServices;

namespace Reloaded.Messaging.Hosting;

/// <summary>The endpoint of a client, and the delays between its attempts to connect.</summary>
internal sealed class Dialer(MessageEndpoint endpoint, MessageHostOptions options)
{
    private int _attempts;

    public MessageEndpoint Endpoint { get; private set; } = endpoint;

    /// <summary>The delay before the next attempt.</summary>
    public TimeSpan Delay { get; private set; } = options.Reconnect?.FirstDelay ?? default;

    /// <summary>The settings that the transports of all connections receive from the host.</summary>
    public readonly TransportContext Context = options.MakeTransportContext();

    /// <summary>Makes one attempt to connect.</summary>
    /// <returns>The channel, and the token that the server requires.</returns>
    public async ValueTask<(TransportChannel Channel, ReadOnlyMemory<byte> Token)> DialAsync(CancellationToken cancellationToken)
    {
        try
        {
            var channel = await Endpoint.ConnectAsync(Context, cancellationToken).ConfigureAwait(false);
            return (channel, options.Token.IsEmpty ? channel.Token : options.Token);
        }
        catch (TransportClosedException e) when (e.Reason is TransportCloseReason.WrongProtection or TransportCloseReason.LockedOut)
        {
            throw new HandshakeException(e.Reason.ToDisconnectReason(), Endpoint.ToString()); // the server was reached, and refused the connection
        }
    }

    /// <summary>Connects, with as many attempts as the reconnect policy allows.</summary>
    public async Task<(TransportChannel Channel, ReadOnlyMemory<byte> Token)> DialUntilReachedAsync(CancellationToken cancellationToken)
    {
        ExceptionDispatchInfo? failure = null;
        while (true)
        {
            try
            {
                if (failure is null || await TryAgainAsync(failure.SourceException, cancellationToken).ConfigureAwait(false))
                    return await DialAsync(cancellationToken).ConfigureAwait(false);
            }
            catch (Exception e) when (options.Reconnect is not null && IsTransient(e))
            {
                failure = ExceptionDispatchInfo.Capture(e); // an exception of NextEndpoint also counts as a failed attempt
                continue;
            }
            catch (OperationCanceledException) when (cancellationToken.IsCancellationRequested)
            {
                throw Canceled(failure?.SourceException, cancellationToken);
            }

            failure.Throw(); // the policy gives up
        }
    }

    /// <summary>Returns the exception of a connect that was canceled. It contains the last failure, which no event has reported.</summary>
    /// <param name="last">The last failure; <c>null</c> if no attempt has ended.</param>
    /// <param name="cancellationToken">The token.</param>
    public OperationCanceledException Canceled(Exception? last, CancellationToken cancellationToken) =>
        new($"The wait for a connection to {Endpoint} was canceled. {(last is null ? "No reply arrived: check the endpoint, or wait longer." : $"The last attempt failed: {last.Message}")}", last, cancellationToken);

    /// <summary>Waits until the next attempt is due, and determines its endpoint.</summary>
    /// <returns><c>false</c> if the policy gives up.</returns>
    public async Task<bool> TryAgainAsync(Exception failure, CancellationToken cancellationToken)
    {
        if (options.Reconnect is not { } policy)
            return false;
        _attempts++;
        await Task.Delay(Jittered(Delay, policy.Jitter, Random.Shared.NextDouble()), cancellationToken).ConfigureAwait(false);
        Delay = Delay * 2 > policy.MaxDelay ? policy.MaxDelay : Delay * 2;
        if (policy.NextEndpoint is not { } next)
            return true;
        if (await Detached.Run(() => next(new ReconnectAttempt(_attempts, Endpoint, failure)).AsTask()).WaitAsync(cancellationToken).ConfigureAwait(false) is not { } found)
            return false;
        Endpoint = found;
        return true;
    }

    /// <summary>Returns a delay that is longer or shorter by up to a part of it.</summary>
    /// <param name="delay">The delay.</param>
    /// <param name="jitter">The part (0–1).</param>
    /// <param name="random">A random number (0–1).</param>
    public static TimeSpan Jittered(TimeSpan delay, double jitter, double random) => delay * (1 + (jitter * ((2 * random) - 1)));

    /// <summary>Resets the delay after a connection that lasted. If connections are refused at once, the delay is kept, which prevents a busy loop.</summary>
    /// <param name="lasted">The duration of the connection.</param>
    /// <param name="wasTooFast">Whether the server ended the connection because of a rate or a ban. The delay then grows.</param>
    public void NoteLost(TimeSpan lasted, bool wasTooFast)
    {
        _attempts = 0;
        if (lasted > Delay && !wasTooFast)
            Delay = options.Reconnect?.FirstDelay ?? default;
    }

    /// <summary>Returns whether the first connection is repeated after a failure. A permanent failure, such as a wrong token or other contracts, is thrown to the caller at once.</summary>
    public static bool IsTransient(Exception failure) => failure switch
    {
        HandshakeException refused => IsTransient(refused.Reason),
        TransportClosedException closed => IsTransient(closed.Reason.ToDisconnectReason()),
        _ => MayPass(failure),
    };

    private static bool IsTransient(DisconnectReason reason) => reason is not (
        DisconnectReason.WrongToken or DisconnectReason.WrongContract or DisconnectReason.WrongVersion or
        DisconnectReason.WrongProtection or DisconnectReason.TlsFailed or DisconnectReason.NotAPeer or DisconnectReason.Banned);

    /// <summary>Returns whether a failure can pass. Other failures are mistakes of the program.</summary>
    public static bool MayPass(Exception failure) => failure is IOException or HandshakeException;
}
