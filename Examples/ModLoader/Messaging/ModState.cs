namespace ModLoader.Messaging;

/// <summary>The state of a mod.</summary>
public enum ModState : byte { Unloaded, Running, Suspended }
