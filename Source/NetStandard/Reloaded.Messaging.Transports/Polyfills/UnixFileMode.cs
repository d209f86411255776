using System.IO;
using System.Runtime.InteropServices;
using System.Text;

namespace Reloaded.Messaging.Polyfills;

/// <summary>The permissions of a file. The values are the permission bits of the system.</summary>
[Flags]
internal enum UnixFileMode
{
    None = 0,
    OtherExecute = 1,
    OtherWrite = 2,
    OtherRead = 4,
    GroupExecute = 8,
    GroupWrite = 16,
    GroupRead = 32,
    UserExecute = 64,
    UserWrite = 128,
    UserRead = 256,
    StickyBit = 512,
    SetGroup = 1024,
    SetUser = 2048,
}
