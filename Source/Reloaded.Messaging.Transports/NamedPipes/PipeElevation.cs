using System.IO.Pipes;
using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace Reloaded.Messaging;

/// <summary>Pipes between an elevated process and one that is not, of the same user.</summary>
/// <remarks>What an elevated process makes is owned by the administrators, and PipeOptions.CurrentUserOnly lets owners in alone: hence a list of its own.</remarks>
[SupportedOSPlatform("windows")]
internal static class PipeElevation
{
    /// <summary>Makes an instance that the user's processes may open, elevated or not.</summary>
    public static NamedPipeServerStream MakeServer(string name, PipeOptions options)
    {
        var security = new PipeSecurity();
        security.AddAccessRule(new PipeAccessRule(GetUser(), PipeAccessRights.FullControl, AccessControlType.Allow));
        return NamedPipeServerStreamAcl.Create(
            name,
            PipeDirection.InOut,
            NamedPipeServerStream.MaxAllowedServerInstances,
            PipeTransmissionMode.Byte,
            options,
            PipeChannel.BufferSize,
            PipeChannel.BufferSize,
            security);
    }

    /// <summary>Whether a pipe is this user's or the administrators', who may do anything here anyway.</summary>
    public static bool IsTrusted(NamedPipeClientStream pipe) =>
        pipe.GetAccessControl().GetOwner(typeof(SecurityIdentifier)) is SecurityIdentifier owner &&
        (owner == GetUser() || owner.IsWellKnown(WellKnownSidType.BuiltinAdministratorsSid));

    private static SecurityIdentifier GetUser()
    {
        using var identity = WindowsIdentity.GetCurrent();
        return identity.User!;
    }
}
