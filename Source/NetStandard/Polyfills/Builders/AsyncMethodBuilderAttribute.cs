namespace System.Runtime.CompilerServices;

/// <summary>Selects the builder of an async method. The attribute of this target is only for types.</summary>
[AttributeUsage(AttributeTargets.Class | AttributeTargets.Struct | AttributeTargets.Interface | AttributeTargets.Delegate | AttributeTargets.Enum | AttributeTargets.Method)]
internal sealed class AsyncMethodBuilderAttribute(Type builderType) : Attribute
{
    public readonly Type BuilderType = builderType;
}
