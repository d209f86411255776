using System;
using System.Net;
using System.Net.Sockets;
using System.Text;
using System.Threading;
using System.Threading.Tasks;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>A way to the broker that can stop carrying what clients send: as a broker that hangs looks to them.</summary>
public sealed class StoppableWay : IDisposable
{
    private readonly TcpListener _listener = new(IPAddress.Loopback, 0);
    private readonly CancellationTokenSource _ended = new();
    private readonly int _broker;
    private volatile string? _stopped;
    private volatile byte[] _before = [];
    private readonly TaskCompletionSource<NetworkStream> _reached = new(TaskCreationOptions.RunContinuationsAsynchronously);

    public StoppableWay(int brokerPort)
    {
        _broker = brokerPort;
        _listener.Start();
        _ = AcceptAsync();
    }

    public int Port => ((IPEndPoint)_listener.LocalEndpoint).Port;

    public void Stop() => _stopped = "";

    /// <summary>Stops the connections whose names contain a text.</summary>
    public void Stop(string purpose) => _stopped = purpose;

    /// <summary>Stops the connections whose names contain a text before they carry some bytes.</summary>
    /// <returns>Completes when a connection has stopped, with the stream to its client. The broker says nothing more.</returns>
    public Task<NetworkStream> StopBefore(string purpose, params byte[] bytes)
    {
        _before = bytes;
        _stopped = purpose;
        return _reached.Task;
    }

    public void Dispose()
    {
        _ended.Cancel();
        _listener.Dispose();
        _ended.Dispose();
    }

    private async Task AcceptAsync()
    {
        while (!_ended.IsCancellationRequested)
        {
            var client = await _listener.AcceptTcpClientAsync(_ended.Token);
            _ = CarryAsync(client, _ended.Token);
        }
    }

    private async Task CarryAsync(TcpClient client, CancellationToken ended)
    {
        using var here = client;
        using var there = new TcpClient();
        await there.ConnectAsync(IPAddress.Loopback, _broker, ended);
        var back = there.GetStream().CopyToAsync(here.GetStream(), ended);
        var buffer = new byte[4096];
        string? opening = null; // the first bytes, which contain the name of the connection
        while (await here.GetStream().ReadAsync(buffer, ended) is > 0 and var size)
        {
            if (opening is not { Length: >= 512 })
                opening += Encoding.ASCII.GetString(buffer, 0, size);
            if (_stopped is { } stopped && opening.Contains(stopped, StringComparison.Ordinal) && buffer.AsSpan(0, size).IndexOf(_before) >= 0)
            {
                _reached.TrySetResult(here.GetStream());
                await Task.Delay(Timeout.Infinite, ended);
            }

            await there.GetStream().WriteAsync(buffer.AsMemory(0, size), ended);
        }

        there.Close();
        await back.ContinueWith(static _ => { }, TaskScheduler.Default);
    }
}
