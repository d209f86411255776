using System;

namespace Reloaded.Messaging;

/// <summary>The bound <see cref="IMessageCompressor.TryCompress"/> of a compressor.</summary>
internal delegate bool CompressCall(ReadOnlySpan<byte> source, Span<byte> destination, out int written);
