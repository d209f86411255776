namespace System.Runtime.CompilerServices
{
    /// <summary>The compiler requires this type for records and for <c>init</c>, and the class library of Unity lacks it.</summary>
    public static class IsExternalInit
    {
    }
}
