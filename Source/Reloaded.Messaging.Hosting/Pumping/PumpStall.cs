using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Messages wait for <see cref="MessageHost.Pump"/>, and the program does not call it.</summary>
/// <param name="Messages">The number of messages that wait.</param>
/// <param name="Waited">The time since the last call of <see cref="MessageHost.Pump"/>, or since messages wait.</param>
public readonly record struct PumpStall(int Messages, TimeSpan Waited);
