using System;
using System.Collections.Generic;

namespace GameServer.Worlds;

/// <summary>A square with creatures, which wander and rest, and players, which move in the direction that they sent. Used only by the tick.</summary>
public sealed class World
{
    /// <summary>The distance up to which a player sees creatures and hears shouts.</summary>
    public const float Sight = 50;

    private const float Size = 300;
    private const float StepLength = 0.2f;

    private readonly Dictionary<uint, Creature> _creatures = [];
    private readonly List<Creature> _wild = [];
    private readonly Random _random = new(1);
    private uint _lastId;

    public World(int creatures)
    {
        for (var i = 0; i < creatures; i++)
        {
            var creature = Create();
            _wild.Add(creature);
            Add(creature);
        }
    }

    /// <summary>All creatures. The enumeration does not allocate.</summary>
    public Dictionary<uint, Creature>.ValueCollection Creatures => _creatures.Values;

    /// <summary>Creates a creature at a random place, with a new id. The creature is not yet in the world.</summary>
    public Creature Create() => new(++_lastId) { X = _random.NextSingle() * Size, Y = _random.NextSingle() * Size, Health = 100 };

    public void Add(Creature creature) => _creatures.Add(creature.Id, creature);

    public void Remove(uint id) => _creatures.Remove(id);

    public Creature? Find(uint id) => _creatures.GetValueOrDefault(id);

    /// <summary>Returns a step of fixed length in a direction, or no step if the direction is zero or not finite.</summary>
    public static (float X, float Y) StepTo(float x, float y)
    {
        var length = MathF.Sqrt((x * x) + (y * y));
        return float.IsFinite(length) && length > 0 ? (x / length * StepLength, y / length * StepLength) : default;
    }

    public void Tick(long number)
    {
        foreach (var creature in _wild)
        {
            // Every two seconds, each creature chooses a new direction or, in two of three cases, rests.
            if ((number + creature.Id) % 120 == 0)
                creature.Step = _random.Next(3) == 0 ? StepTo(_random.NextSingle() - 0.5f, _random.NextSingle() - 0.5f) : default;
            if ((number + creature.Id) % 600 == 0)
                creature.Health = creature.Health > 10 ? creature.Health - 10 : 100;
        }

        foreach (var creature in _creatures.Values)
        {
            creature.X = Math.Clamp(creature.X + creature.Step.X, 0, Size);
            creature.Y = Math.Clamp(creature.Y + creature.Step.Y, 0, Size);
        }
    }
}
