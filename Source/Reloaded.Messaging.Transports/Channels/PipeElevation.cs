using System.IO.Pipes;
using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace Reloaded.Messaging;

/// <summary>Pipes between an elevated process and a process that is not elevated, of the same user.</summary>
/// <remarks>The administrators own the objects of an elevated process, and PipeOptions.CurrentUserOnly admits only owners. The pipe therefore has an explicit access control list.</remarks>
[SupportedOSPlatform("windows")]
internal static class PipeElevation
{
    /// <summary>Creates a pipe instance that all processes of the user can open, elevated or not.</summary>
    public static NamedPipeServerStream MakeServer(string name, PipeOptions options)
    {
        var user = GetUser();
        var security = new PipeSecurity();
        security.AddAccessRule(new PipeAccessRule(user, PipeAccessRights.FullControl, AccessControlType.Allow));
        security.SetOwner(user); // the default owner is the administrators in an elevated process, and a group under Wine
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

    /// <summary>Returns whether a pipe belongs to this user or to the administrators. Administrators have full access to the machine in any case.</summary>
    public static bool IsTrusted(NamedPipeClientStream pipe) =>
        pipe.GetAccessControl().GetOwner(typeof(SecurityIdentifier)) is SecurityIdentifier owner &&
        (owner == GetUser() || owner.IsWellKnown(WellKnownSidType.BuiltinAdministratorsSid));

    private static SecurityIdentifier GetUser()
    {
        using var identity = WindowsIdentity.GetCurrent();
        return identity.User!;
    }
}
