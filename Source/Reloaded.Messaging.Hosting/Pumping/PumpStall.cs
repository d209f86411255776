using System;

namespace Reloaded.Messaging.Hosting;

/// <summary>Describes that messages wait and the program does not call <see cref="MessageHost.Pump"/>.</summary>
/// <param name="Messages">The number of queued messages.</param>
/// <param name="Waited">The time since the last call of <see cref="MessageHost.Pump"/>, or since messages began to wait.</param>
public readonly record struct PumpStall(int Messages, TimeSpan Waited);
