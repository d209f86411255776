using System.IO;
using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;

namespace Reloaded.Messaging;

/// <summary>Access control lists of folders on Windows.</summary>
[SupportedOSPlatform("windows")]
internal static class FolderAccess
{
    /// <summary>Creates a folder that only this user can access, or restricts an existing folder to this user if others have access.</summary>
    /// <remarks>
    /// The files in the folder inherit its list. Wine derives the mode of a new folder from the list. It gives the files the usual modes, so the folder
    /// protects them, and it does not remove the access of others to an existing folder.
    /// </remarks>
    /// <returns><see langword="false"/> if other users still have access.</returns>
    /// <exception cref="System.UnauthorizedAccessException">Thrown when the folder belongs to another user.</exception>
    public static bool TryMake(string path)
    {
        using var identity = WindowsIdentity.GetCurrent();
        var user = identity.User!;
        var folder = new DirectoryInfo(path);
        if (!folder.Exists)
            folder.Create(MakeSecurity(user));
        if (IsPrivate(folder, user))
            return true;
        folder.SetAccessControl(MakeSecurity(user));
        return IsPrivate(folder, user);
    }

    private static DirectorySecurity MakeSecurity(SecurityIdentifier user)
    {
        var security = new DirectorySecurity();
        security.SetAccessRuleProtection(isProtected: true, preserveInheritance: false);
        security.AddAccessRule(new FileSystemAccessRule(
            user, FileSystemRights.FullControl, InheritanceFlags.ContainerInherit | InheritanceFlags.ObjectInherit, PropagationFlags.None, AccessControlType.Allow));
        return security;
    }

    /// <summary>Returns whether only the user, the administrators and the system have access. A folder in the profile of the user inherits such a list.</summary>
    private static bool IsPrivate(DirectoryInfo folder, SecurityIdentifier user)
    {
        var security = folder.GetAccessControl(AccessControlSections.Access);
        foreach (FileSystemAccessRule rule in security.GetAccessRules(includeExplicit: true, includeInherited: true, typeof(SecurityIdentifier)))
        {
            var allowed = (SecurityIdentifier)rule.IdentityReference;
            var isTrusted = allowed == user || allowed.IsWellKnown(WellKnownSidType.BuiltinAdministratorsSid) || allowed.IsWellKnown(WellKnownSidType.LocalSystemSid);
            if (rule.AccessControlType == AccessControlType.Allow && !isTrusted)
                return false;
        }

        return true;
    }
}
