namespace ModLoader.Messaging;

/// <summary>The reasons for which a game refuses a request.</summary>
public enum ModFault { UnknownMod = 1000, UnknownState, NotLoaded, NeedsAnother, IsNeeded }
