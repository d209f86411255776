using System;

namespace Reloaded.Messaging.Tool;

/// <summary>A packet of a capture.</summary>
/// <param name="Time">The time in seconds since 1970.</param>
/// <param name="LinkType">The link type of the capture, such as 1 for Ethernet.</param>
/// <param name="Bytes">The captured bytes.</param>
internal readonly record struct Packet(double Time, uint LinkType, ReadOnlyMemory<byte> Bytes);
