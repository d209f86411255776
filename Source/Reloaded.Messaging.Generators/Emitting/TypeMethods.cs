using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>The methods for the collections, nullables and messages inside of messages that generated code calls.</summary>
/// <param name="isForbidden">Whether the calls are in obsolete code.</param>
internal sealed class TypeMethods(bool isForbidden)
{
    public const string WriteVerb = "Write";
    public const string ReadVerb = "TryRead";
    public const string ReadPooledVerb = "TryReadPooled";
    public const string ReleaseVerb = "Release";

    private readonly HashSet<string> _names = [];
    private readonly Queue<TypeMethod> _unwritten = new();

    /// <summary>The methods that were requested and not taken.</summary>
    public IEnumerable<TypeMethod> Requested => _unwritten;

    /// <summary>The name of the class with the methods.</summary>
    public string Class => isForbidden ? "ObsoleteTypeMethods" : "TypeMethods";

    /// <summary>The name of the method that writes <paramref name="type"/>.</summary>
    public string Write(WireType type) => Request(new(WriteVerb, type, false, isForbidden));

    /// <summary>The name of the method that reads the type into a new instance.</summary>
    public string Read(WireType type, bool isInterned) => Request(new(ReadVerb, type, isInterned, isForbidden));

    /// <summary>The name of the method that reads the type into a rented instance.</summary>
    public string ReadPooled(WireType type, bool isInterned) => Request(new(ReadPooledVerb, type, isInterned, isForbidden));

    /// <summary>The name of the method that returns a rented instance.</summary>
    public string Release(WireType type) => Request(new(ReleaseVerb, type, false, isForbidden));

    /// <summary>Requests a method, and returns its name with that of its class.</summary>
    public string Request(TypeMethod method)
    {
        var name = method.Name;
        if (_names.Add(name))
            _unwritten.Enqueue(method);
        return $"{Class}.{name}";
    }

    /// <summary>Takes the next method that was requested and is not yet written.</summary>
    public bool TryTake(out TypeMethod? method)
    {
        method = _unwritten.Count > 0 ? _unwritten.Dequeue() : null;
        return method is not null;
    }
}
