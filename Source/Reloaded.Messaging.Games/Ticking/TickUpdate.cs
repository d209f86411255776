namespace Reloaded.Messaging.Games;

/// <summary>Advances a world by one tick. Called on the thread pool, one call at a time.</summary>
public delegate void TickUpdate(in Tick tick);
