namespace Reloaded.Messaging.Generators.Model;

/// <summary>The model of a service.</summary>
/// <param name="Name">The interface, fully qualified.</param>
/// <param name="Class">The name of the generated class, without its namespace.</param>
/// <param name="IsPublic">Whether the interface is visible to other assemblies.</param>
/// <param name="IsForbidden">Whether only obsolete code may use the interface.</param>
/// <param name="Methods">The methods, with those of base interfaces.</param>
/// <param name="Events">The events, with those of base interfaces.</param>
internal sealed record ServiceModel(string Name, string Class, bool IsPublic, bool IsForbidden, EquatableArray<ServiceMethod> Methods, EquatableArray<ServiceEvent> Events)
{
    /// <summary>The generated messages, each with the name of its method or event.</summary>
    public IEnumerable<(string Member, MessageModel Message)> Messages()
    {
        foreach (var method in Methods)
        {
            yield return (method.Name, method.Request);
            if (method.Reply is not null)
                yield return (method.Name, method.Reply);
        }

        foreach (var one in Events)
            yield return (one.Name, one.Message);
    }
}

/// <summary>A parameter of a service's method.</summary>
/// <param name="Name">The name.</param>
/// <param name="Type">The C# type, fully qualified.</param>
/// <param name="Role">The use of its argument.</param>
internal sealed record ServiceParameter(string Name, string Type, ParameterRole Role);

/// <summary>An event of a service.</summary>
/// <param name="Interface">The interface that declares the event, fully qualified.</param>
/// <param name="Name">The name of the event.</param>
/// <param name="Handler">The delegate, fully qualified.</param>
/// <param name="Message">The message of the delegate's parameters, in their order.</param>
internal sealed record ServiceEvent(string Interface, string Name, string Handler, MessageModel Message);
