namespace Reloaded.Messaging.Games;

/// <summary>Moves a world on by one tick. One call at a time, on the thread pool.</summary>
public delegate void TickUpdate(in Tick tick);
