namespace System.Runtime.CompilerServices;

/// <summary>Required by the compiler for init-only properties and records. The target framework does not contain the type.</summary>
internal static class IsExternalInit;
