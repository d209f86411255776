namespace ModLoader.Messaging;

/// <summary>What a mod does.</summary>
public enum ModState : byte
{
    Unloaded,
    Running,
    Suspended,
}
