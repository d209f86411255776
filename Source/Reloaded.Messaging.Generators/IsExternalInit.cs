namespace System.Runtime.CompilerServices;

/// <summary>What the compiler asks for to allow init-only properties and records; this target has none.</summary>
internal static class IsExternalInit;
