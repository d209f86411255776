using System;

namespace Reloaded.Messaging;

/// <summary>A compressor's <see cref="IMessageCompressor.TryCompress"/>.</summary>
internal delegate bool CompressCall(ReadOnlySpan<byte> source, Span<byte> destination, out int written);
