using System;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Hosting;

/// <summary>Repeats a transfer of a client that reconnects.</summary>
internal static class TransferRetry
{
    /// <summary>Runs a transfer until it ends for another reason than a lost connection.</summary>
    public static async Task<TransferProgress> RunAsync(MessageClient client, Func<Peer, Task<TransferProgress>> transfer, CancellationToken cancellationToken)
    {
        while (true)
        {
            try
            {
                return await transfer(client.Server).ConfigureAwait(false);
            }
            catch (Exception e) when (client.Options.Reconnect is not null && IsLostConnection(e))
            {
                await client.WaitForConnectionAsync(cancellationToken).ConfigureAwait(false);
            }
        }
    }

    private static bool IsLostConnection(Exception failure) =>
        (failure is FileTransferException ? failure.InnerException : failure) is RequestFailedException { Status: RequestStatus.Disconnected or RequestStatus.NotSent };
}
