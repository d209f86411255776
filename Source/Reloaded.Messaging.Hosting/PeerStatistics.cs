using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>The statistics of the connection to a peer, at the time of the call.</summary>
/// <param name="Silence">The time since the last bytes arrived from the peer. A connected peer replies to a ping at each <see cref="MessageHostOptions.PingInterval"/>, which may be 50 ms late. A longer time means a bad connection. Precise to about 15 ms.</param>
/// <param name="RoundTripTime">The round-trip time of the last ping, or the age of the oldest ping without a reply if that is longer; zero before the first reply.</param>
/// <param name="BytesSent">The number of bytes that the transport has accepted: messages with their length prefixes, before encryption and without headers of the transport.</param>
/// <param name="BytesReceived">The number of bytes that have arrived, measured in the same way.</param>
/// <param name="PendingBytes">The number of bytes that wait to be sent.</param>
/// <param name="LossShare">The share of the peer's recent datagrams that did not arrive (0–1); <see langword="null"/> if it is not known. Known over UDP with <see cref="MessageHostOptions.Protection"/>, whose datagrams have numbers.</param>
/// <param name="OutdatedDatagrams">The number of datagrams from the peer that were dropped because a newer one of their sequenced type had arrived: <see cref="DeliveryMode.Sequenced"/>. Each may contain several messages. 0 over a transport that delivers everything in order.</param>
public readonly record struct PeerStatistics(TimeSpan Silence, TimeSpan RoundTripTime, long BytesSent, long BytesReceived, int PendingBytes, double? LossShare, long OutdatedDatagrams);
