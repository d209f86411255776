using System.IO;
using System.Linq;
using System.Runtime.Versioning;
using System.Security.AccessControl;
using System.Security.Principal;
using Reloaded.Messaging.Tests.Support;
using Xunit;

namespace Reloaded.Messaging.Tests.Files;

/// <summary>The access control list of the folder that contains the tokens of servers.</summary>
[SupportedOSPlatform("windows")]
public sealed class FolderAccessTests : IDisposable
{
    private readonly string _folder = Path.Combine(Path.GetTempPath(), Path.GetRandomFileName());

    public FolderAccessTests() => Assert.SkipUnless(OperatingSystem.IsWindows(), "Only Windows has access control lists. UserFolderTests and EndpointTests cover modes.");

    public void Dispose()
    {
        if (Directory.Exists(_folder))
            Directory.Delete(_folder);
    }

    [Fact]
    public void Make_new_folder_admits_no_other_users()
    {
        Assert.Equal(_folder, UserFolder.Make(_folder));

        Assert.Empty(GetOthers());
    }

    [Fact]
    public void Make_existing_folder_removes_the_access_of_other_users_or_refuses_the_folder_on_Wine()
    {
        var open = Directory.CreateDirectory(_folder);
        var security = open.GetAccessControl();
        security.AddAccessRule(new FileSystemAccessRule(new SecurityIdentifier(WellKnownSidType.WorldSid, null), FileSystemRights.ReadAndExecute, AccessControlType.Allow));
        open.SetAccessControl(security);
        Assert.NotEmpty(GetOthers());

        if (!TestSystem.IsWine)
        {
            UserFolder.Make(_folder);
            Assert.Empty(GetOthers());
            return;
        }

        var refusal = Assert.Throws<InvalidOperationException>(() => UserFolder.Make(_folder)); // Wine does not change the list of an existing folder
        Assert.NotEmpty(GetOthers());
        Assert.Contains(_folder, refusal.Message, StringComparison.Ordinal);
        Assert.Contains("Remove the folder", refusal.Message, StringComparison.Ordinal);
    }

    /// <summary>Returns the identities with access, except this user, the administrators and the system.</summary>
    private SecurityIdentifier[] GetOthers()
    {
        using var identity = WindowsIdentity.GetCurrent();
        return [.. new DirectoryInfo(_folder).GetAccessControl().GetAccessRules(true, true, typeof(SecurityIdentifier))
            .Cast<FileSystemAccessRule>()
            .Where(rule => rule.AccessControlType == AccessControlType.Allow)
            .Select(rule => (SecurityIdentifier)rule.IdentityReference)
            .Where(allowed => allowed != identity.User && !allowed.IsWellKnown(WellKnownSidType.BuiltinAdministratorsSid) && !allowed.IsWellKnown(WellKnownSidType.LocalSystemSid))];
    }
}
