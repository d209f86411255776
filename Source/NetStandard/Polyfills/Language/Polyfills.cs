using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;

// The framework members that netstandard2.1 lacks. Compiled for that target only.

namespace System.Runtime.CompilerServices
{
    internal static class IsExternalInit;

    [AttributeUsage(AttributeTargets.Method)]
    internal sealed class SkipLocalsInitAttribute : Attribute;

    [AttributeUsage(AttributeTargets.Parameter)]
    internal sealed class CallerArgumentExpressionAttribute(string parameterName) : Attribute
    {
        public readonly string ParameterName = parameterName;
    }
}

namespace System.Diagnostics.CodeAnalysis
{
    [Flags]
    internal enum DynamicallyAccessedMemberTypes
    {
        PublicFields = 0x0020,
        NonPublicFields = 0x0040,
    }

    [AttributeUsage(AttributeTargets.GenericParameter | AttributeTargets.Parameter | AttributeTargets.ReturnValue)]
    internal sealed class DynamicallyAccessedMembersAttribute(DynamicallyAccessedMemberTypes memberTypes) : Attribute
    {
        public readonly DynamicallyAccessedMemberTypes MemberTypes = memberTypes;
    }

    [AttributeUsage(AttributeTargets.All, AllowMultiple = true)]
    internal sealed class UnconditionalSuppressMessageAttribute(string category, string checkId) : Attribute
    {
        public readonly string Category = category;

        public readonly string CheckId = checkId;

        public string? Justification;
    }
}

namespace Reloaded.Messaging.Polyfills
{
    internal static class FrameworkExtensions
    {
        extension(GC)
        {
            public static T[] AllocateUninitializedArray<T>(int length) => new T[length];
        }

        extension(ArgumentNullException)
        {
            public static void ThrowIfNull([NotNull] object? argument, [CallerArgumentExpression(nameof(argument))] string? paramName = null)
            {
                if (argument is null)
                    throw new ArgumentNullException(paramName);
            }
        }

        extension(ObjectDisposedException)
        {
            public static void ThrowIf([DoesNotReturnIf(true)] bool condition, object instance)
            {
                if (condition)
                    throw new ObjectDisposedException(instance.GetType().FullName);
            }
        }

        extension(decimal)
        {
            public static int GetBits(decimal value, Span<int> destination)
            {
                decimal.GetBits(value).AsSpan().CopyTo(destination);
                return 4;
            }
        }

        extension(Math)
        {
            public static ulong BigMul(ulong a, ulong b, out ulong low)
            {
                var lows = (ulong)(uint)a * (uint)b;
                var middle = ((a >> 32) * (uint)b) + (lows >> 32); // at most (2^32-1)^2 + 2^32-1: no overflow
                var other = ((uint)a * (b >> 32)) + (uint)middle;
                low = (other << 32) | (uint)lows;
                return ((a >> 32) * (b >> 32)) + (middle >> 32) + (other >> 32);
            }
        }

        extension(MemoryMarshal)
        {
            [MethodImpl(MethodImplOptions.AggressiveInlining)]
            public static ref T GetArrayDataReference<T>(T[] array) => ref MemoryMarshal.GetReference(array.AsSpan());
        }
    }
}
