namespace Reloaded.Messaging.Tests.Support;

/// <summary>Marks tests that read what belongs to the whole process: the pool's counts, collections, allocations, the folder of published servers. They run alone, one by one.</summary>
[AttributeUsage(AttributeTargets.Class, Inherited = false)]
public sealed class QuietAttribute : Attribute;
