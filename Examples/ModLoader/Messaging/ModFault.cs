using Reloaded.Messaging.Hosting;

namespace ModLoader.Messaging;

/// <summary>The reasons for which a game refuses a request.</summary>
public static class ModFault
{
    public const FaultCode UnknownMod = (FaultCode)1000;
    public const FaultCode UnknownState = (FaultCode)1001;
    public const FaultCode NotLoaded = (FaultCode)1002;
    public const FaultCode NeedsAnother = (FaultCode)1003;
    public const FaultCode IsNeeded = (FaultCode)1004;
}
