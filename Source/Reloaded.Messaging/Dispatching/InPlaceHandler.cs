using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging;

/// <summary>Calls a handler with a reference into the received bytes, where the runtime and the processor allow that.</summary>
internal static class InPlaceHandler
{
    // An `in` parameter is a reference, so both delegates are called alike. Only CoreCLR and Native AOT are known to call a delegate by its
    // target alone. ARM32 fails on floats that are not aligned, which a payload's are not.
    private static readonly bool s_isSupported =
        RuntimeInformation.ProcessArchitecture is Architecture.X64 or Architecture.X86 or Architecture.Arm64 &&
        Type.GetType("Mono.RuntimeStructs") is null;

    /// <summary>Returns the handler as a direct call, or <c>null</c> where it needs a copy of the message.</summary>
    public static DirectCall<T>? TryView<TMessage, T>(MessageHandler<TMessage, T> handler) => s_isSupported ? Unsafe.As<DirectCall<T>>(handler) : null;
}
