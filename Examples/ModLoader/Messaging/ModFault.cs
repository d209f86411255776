namespace ModLoader.Messaging;

/// <summary>The reasons for which a game refuses a request.</summary>
public enum ModFault
{
    UnknownMod = 1000,
    UnknownState = 1001,
    NotLoaded = 1002,
    NeedsAnother = 1003,
    IsNeeded = 1004,
}
