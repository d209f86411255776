using System.Diagnostics;
using System.IO.Pipes;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Benchmarks.Hosts;

/// <summary>A plain named pipe, used as a floor.</summary>
public static class BarePipe
{
    private const PipeOptions Options = PipeOptions.Asynchronous | PipeOptions.CurrentUserOnly;

    public static NamedPipeServerStream Listen(MessageEndpoint endpoint) => new(endpoint.Address, PipeDirection.InOut, 1, PipeTransmissionMode.Byte, Options);

    public static async Task<NamedPipeClientStream> ConnectAsync(MessageEndpoint endpoint)
    {
        var pipe = new NamedPipeClientStream(".", endpoint.Address, PipeDirection.InOut, Options);
        await pipe.ConnectAsync();
        return pipe;
    }

    /// <summary>Returns the received bytes to the sender, with one write for each read.</summary>
    public static async Task PingPongAsync(NamedPipeServerStream pipe)
    {
        await pipe.WaitForConnectionAsync();
        var buffer = new byte[4096];
        int received;
        while ((received = await pipe.ReadAsync(buffer)) > 0)
            await pipe.WriteAsync(buffer.AsMemory(0, received));
    }

    /// <summary>Sends one request at a time.</summary>
    /// <returns>The number of replies per second.</returns>
    public static async Task<double> AskAsync(NamedPipeClientStream pipe, TimeSpan time)
    {
        var buffer = new byte[32];
        var watch = Stopwatch.StartNew();
        long count = 0;
        while (watch.Elapsed < time)
        {
            await pipe.WriteAsync(buffer);
            await pipe.ReadExactlyAsync(buffer);
            count++;
        }

        return count / watch.Elapsed.TotalSeconds;
    }
}
