using System;
using System.Collections.Generic;
using System.Linq;
using System.Reflection;
using System.Runtime.ExceptionServices;

namespace Reloaded.Messaging.Simulation;

/// <summary>Lets an object stand in for a large interface of which the library calls a few members. The object has a public member for each of them.</summary>
public class InterfaceFacade : DispatchProxy
{
    private readonly Dictionary<MethodInfo, MethodInfo> _members = [];
    private object _target = null!;

    /// <summary>Returns an object that passes the calls of an interface to a target.</summary>
    public static T Of<T>(object target)
        where T : class
    {
        var made = Create<T, InterfaceFacade>();
        ((InterfaceFacade)(object)made)._target = target;
        return made;
    }

    /// <inheritdoc/>
    protected override object? Invoke(MethodInfo? targetMethod, object?[]? args)
    {
        if (!_members.TryGetValue(targetMethod!, out var member))
            _members.Add(targetMethod!, member = Find(targetMethod!));
        try
        {
            return member.Invoke(_target, args);
        }
        catch (TargetInvocationException e)
        {
            ExceptionDispatchInfo.Capture(e.InnerException!).Throw();
            throw;
        }
    }

    private MethodInfo Find(MethodInfo called)
    {
        var parameters = called.GetParameters();
        foreach (var method in _target.GetType().GetMethods().Where(method => method.Name == called.Name && method.GetParameters().Length == parameters.Length))
        {
            var closed = called.IsGenericMethod && method.IsGenericMethod ? method.MakeGenericMethod(called.GetGenericArguments()) : method;
            if (closed.GetParameters().Zip(parameters).All(static pair => pair.First.ParameterType == pair.Second.ParameterType))
                return closed;
        }

        throw new NotSupportedException($"The library calls {called.DeclaringType!.Name}.{called.Name}, which is not simulated. Add a method with its parameters to {_target.GetType().Name}.");
    }
}
