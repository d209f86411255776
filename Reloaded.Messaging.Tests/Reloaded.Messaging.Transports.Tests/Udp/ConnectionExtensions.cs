using Reloaded.Messaging.Wire;

namespace Reloaded.Messaging.Tests.Udp;

/// <summary>Frames for a connection, with their lengths.</summary>
internal static class ConnectionExtensions
{
    private const int MinUnsent = 32 * 1024;

    extension(DatagramConnection side)
    {
        /// <summary>Whether less than half of the limit waits, which keeps later frames of the channel from waiting for long.</summary>
        public bool WantsMore(int channel = 0) => side.GetUnsentBytes(channel) < Math.Max(MinUnsent, side.Path.CongestionWindow / 2) / 2;

        /// <summary>Appends whole frames.</summary>
        public void AppendFrames(ReadOnlySpan<byte> frames, bool isBarrier = false, int channel = 0)
        {
            while (!frames.IsEmpty)
            {
                Frame.TryRead(ref frames, int.MaxValue, out var message);
                side.Append(channel, message, isBarrier);
            }
        }

        /// <summary>Adds whole frames that may be lost, as one flush.</summary>
        public void AddFrames(ReadOnlySpan<byte> frames, int stream)
        {
            side.NoteFlushed();
            while (!frames.IsEmpty)
            {
                Frame.TryRead(ref frames, int.MaxValue, out var message);
                side.AddLoose(message, stream);
            }
        }
    }
}
