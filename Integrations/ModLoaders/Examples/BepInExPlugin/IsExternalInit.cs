namespace System.Runtime.CompilerServices;

/// <summary>The compiler needs this type for records, and netstandard2.1 lacks it.</summary>
internal static class IsExternalInit;
