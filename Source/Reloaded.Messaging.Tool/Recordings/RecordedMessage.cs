using System;

namespace Reloaded.Messaging.Tool;

/// <summary>A message of a recording.</summary>
/// <param name="Time">The time since the start of the recording.</param>
/// <param name="Bytes">The header and the payload.</param>
internal readonly record struct RecordedMessage(TimeSpan Time, byte[] Bytes);
