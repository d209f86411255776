using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

namespace Reloaded.Messaging.Polyfills;

/// <content>Without unsafe code, for packages that have none.</content>
internal static partial class Unsafe
{
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ref TTo As<TFrom, TTo>(ref TFrom source)
        where TFrom : struct
        where TTo : struct => ref MemoryMarshal.Cast<TFrom, TTo>(MemoryMarshal.CreateSpan(ref source, 1))[0];

    public static T As<T>(object value)
        where T : class => (T)value;
}
