using System.Collections.Generic;
using Reloaded.Messaging.Generators.Model;

namespace Reloaded.Messaging.Generators.Emitting;

/// <summary>The methods that a serializer has for the collections, nullables and messages in its message. There is one method for each type, created on first use.</summary>
internal sealed class TypeMethods
{
    public const string WriteVerb = "Write";
    public const string ReadVerb = "TryRead";
    public const string ReadPooledVerb = "TryReadPooled";
    public const string ReleaseVerb = "Release";

    private readonly Dictionary<(string Verb, WireType Type, bool IsInterned), string> _names = [];
    private readonly Queue<(string Verb, WireType Type, bool IsInterned, string Name)> _unwritten = new();

    /// <summary>The name of the method that writes <paramref name="type"/>.</summary>
    public string Write(WireType type) => Name(WriteVerb, type, false);

    /// <summary>The name of the method that reads the type into a new instance.</summary>
    public string Read(WireType type, bool isInterned) => Name(ReadVerb, type, isInterned);

    /// <summary>The name of the method that reads the type into a rented instance.</summary>
    public string ReadPooled(WireType type, bool isInterned) => Name(ReadPooledVerb, type, isInterned);

    /// <summary>The name of the method that returns a rented instance.</summary>
    public string Release(WireType type) => Name(ReleaseVerb, type, false);

    /// <summary>Takes the next method that was requested and is not yet written.</summary>
    public bool TryTake(out (string Verb, WireType Type, bool IsInterned, string Name) method)
    {
        var any = _unwritten.Count > 0;
        method = any ? _unwritten.Dequeue() : default;
        return any;
    }

    private string Name(string verb, WireType type, bool isInterned)
    {
        if (!_names.TryGetValue((verb, type, isInterned), out var name))
        {
            name = $"{verb}{_names.Count}";
            _names.Add((verb, type, isInterned), name);
            _unwritten.Enqueue((verb, type, isInterned, name));
        }

        return name;
    }
}
