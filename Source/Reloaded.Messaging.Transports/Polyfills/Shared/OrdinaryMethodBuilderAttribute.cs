using System;

namespace Reloaded.Messaging.Polyfills;

/// <summary>Replaces the attribute that selects a pooling method builder on other targets. On this target it has no effect: the compiler uses the default builder, which allocates for each call that has to wait.</summary>
[AttributeUsage(AttributeTargets.Method)]
internal sealed class OrdinaryMethodBuilderAttribute(Type builderType) : Attribute
{
    public Type BuilderType { get; } = builderType;
}

/// <summary>Replaces the pooling builder of other targets, so that its name can be used.</summary>
internal static class PoolingAsyncValueTaskMethodBuilder;

/// <inheritdoc cref="PoolingAsyncValueTaskMethodBuilder"/>
internal static class PoolingAsyncValueTaskMethodBuilder<TResult>;
