using System;

namespace Reloaded.Messaging.Polyfills;

/// <summary>Stands where other targets choose a builder that uses its state machines again. This one has none: the compiler takes the ordinary one, which makes an object for each call that has to wait.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class OrdinaryMethodBuilderAttribute(Type builderType) : Attribute
{
    public Type BuilderType { get; } = builderType;
}

/// <summary>Named where other targets have the builder.</summary>
internal static class PoolingAsyncValueTaskMethodBuilder;

/// <inheritdoc cref="PoolingAsyncValueTaskMethodBuilder"/>
internal static class PoolingAsyncValueTaskMethodBuilder<TResult>;
