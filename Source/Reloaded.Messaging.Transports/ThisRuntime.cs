using System;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>The runtime of this process.</summary>
internal static class ThisRuntime
{
    /// <summary>Whether this is .NET, and not Mono or IL2CPP. Both have another name, and IL2CPP may have removed the types by which Mono is known.</summary>
    public static bool IsDotNet { get; } = RuntimeInformation.FrameworkDescription.StartsWith(".NET ", StringComparison.Ordinal);
}
