using Reloaded.Messaging.Tests.Support;
using Reloaded.Messaging.Wire;
using Xunit;

namespace Reloaded.Messaging.Tests.Dispatching;

/// <summary>Compares the handlers of a dispatcher with a dictionary, over random changes on all ids.</summary>
public sealed class HandlerTableModelTests
{
    private const int Nobody = -1;

    /// <summary>The ids at which a form of the header, a page or the table of pages begins or ends, and ids beside them.</summary>
    private static readonly uint[] s_edges =
    [
        0, 1, 63, 64, 125, 126, 127, 128, 255, 256, 43_711, 43_712, 50_000, 65_471, 65_472, 65_534, 65_535, 65_536, 65_537, 75_007, 75_008, 98_239, 98_240,
        131_071, 131_072, (1 << 22) - 1, 1 << 22, int.MaxValue, 1u << 31, uint.MaxValue - 1, uint.MaxValue,
    ];

    [Theory]
    [InlineData(false)]
    [InlineData(true)]
    public async Task Random_changes_leave_the_handlers_of_the_model(bool tracks)
    {
        for (var seed = 0; seed < 10; seed++)
        {
            var run = new Run(seed, tracks);
            for (var step = 0; step < 500; step++)
                await run.StepAsync();
        }
    }

    [Fact]
    public void Table_with_every_paged_id_finds_each_id_and_no_other()
    {
        var dispatcher = new MessageDispatcher<int>();
        for (var type = 0u; type <= ushort.MaxValue + 1; type++)
            dispatcher.RegisterRaw(type, static (in MessageHeader header, ReadOnlySpan<byte> _, ref int seen) => seen = (int)header.Type);

        for (var type = 0u; type < 100_000; type++)
        {
            if (type <= ushort.MaxValue + 1 != dispatcher.HasHandler(type, out _))
                Assert.Fail($"Id {type} has a handler: {dispatcher.HasHandler(type, out _)}.");
        }
    }

    /// <summary>A dispatcher and the model of it. Each handler has a number, which a dispatch writes down.</summary>
    private sealed class Run(int seed, bool tracks)
    {
        private readonly Random _random = new(seed);
        private readonly MessageDispatcher<List<int>> _dispatcher = new(trackRunningHandlers: tracks);
        private readonly Dictionary<uint, Handler> _model = [];
        private readonly List<(HandlerRegistration Registration, uint Type, int Number, bool IsFallback)> _registrations = [];
        private readonly List<uint> _used = [0];
        private int _fallback = Nobody;
        private int _count;
        private int _step;

        public async Task StepAsync()
        {
            _step++;
            var type = Choose();
            _used.Add(type);
            switch (_random.Next(10))
            {
                case < 4:
                    Register(type);
                    break;
                case 4:
                    Require(type, "Remove", _model.Remove(type), _dispatcher.Remove(type));
                    break;
                case 5 or 6:
                    await DisposeOneAsync();
                    break;
                case 7 when _random.Next(4) == 0:
                    var number = _count++;
                    _registrations.Add((_dispatcher.RegisterFallback((in MessageHeader _, ReadOnlySpan<byte> _, ref List<int> seen) => seen.Add(number)), 0, number, true));
                    _fallback = number;
                    break;
            }

            await CheckAsync(type);
            await CheckAsync(_used[_random.Next(_used.Count)]);
            if (_step % 100 == 0)
            {
                foreach (var used in _used)
                    await CheckAsync(used);
            }
        }

        private uint Choose() => _random.Next(4) switch
        {
            0 => s_edges[_random.Next(s_edges.Length)],
            1 => s_edges[_random.Next(s_edges.Length)] + (uint)_random.Next(-2, 3),
            2 => _used[_random.Next(_used.Count)],
            _ => (uint)_random.NextInt64(1L << _random.Next(1, 33)),
        };

        private void Register(uint type)
        {
            var (number, kind) = (_count++, (Kind)_random.Next(5));
            var behavior = _random.Next(2) == 0 ? DuplicateHandlerBehavior.Throw : DuplicateHandlerBehavior.Replace;
            var collides = _model.TryGetValue(type, out var old) && (behavior == DuplicateHandlerBehavior.Throw || AreDifferent(old.Kind, kind));
            if (collides)
            {
                Assert.Throws<InvalidOperationException>(() => Add(type, kind, number, behavior));
                return;
            }

            _registrations.Add((Add(type, kind, number, behavior), type, number, false));
            _model[type] = new Handler(number, kind);
        }

        /// <summary>Disposes a registration, perhaps for a second time, or after its handler was replaced or removed.</summary>
        private async Task DisposeOneAsync()
        {
            if (_registrations.Count == 0)
                return;
            var (registration, type, number, isFallback) = _registrations[_random.Next(_registrations.Count)];
            if (tracks && _random.Next(2) == 0)
                await registration.DisposeAsync().AsTask().InTime();
            else
                registration.Dispose();
            if (isFallback && _fallback == number)
                _fallback = Nobody;
            else if (!isFallback && _model.TryGetValue(type, out var handler) && handler.Number == number)
                _model.Remove(type);
        }

        private HandlerRegistration Add(uint type, Kind kind, int number, DuplicateHandlerBehavior behavior) => kind switch
        {
            Kind.Blittable => _dispatcher.Register(Given.Points(type), (in Point _, ref List<int> seen) => seen.Add(number), behavior),
            Kind.OtherBlittable => _dispatcher.Register(Given.Degrees(type), (in Celsius _, ref List<int> seen) => seen.Add(number), behavior),
            Kind.Text => _dispatcher.Register(Given.Text(type), (in string _, ref List<int> seen) => seen.Add(number), behavior),
            Kind.Async => _dispatcher.Register(Given.Points(type), Handle(number), behavior),
            _ => _dispatcher.RegisterRaw(type, (in MessageHeader header, ReadOnlySpan<byte> _, ref List<int> seen) => seen.Add(header.Type == type ? number : Nobody), behavior),
        };

        private async Task CheckAsync(uint type)
        {
            var handler = _model.GetValueOrDefault(type, new Handler(_fallback, Kind.Raw));
            var has = handler.Number != Nobody;
            Require(type, "HasHandler", has, _dispatcher.HasHandler(type, out var contract));
            Require(type, "contract", Contract(handler.Kind), contract?.MessageType);

            var message = Message(type, handler.Kind);
            var expected = !has ? DispatchStatus.NoHandler : _model.ContainsKey(type) ? DispatchStatus.Handled : DispatchStatus.HandledByFallback;
            var seen = new List<int>();
            Require(type, "Dispatch", handler.Kind == Kind.Async ? DispatchStatus.HandlerIsAsync : expected, _dispatcher.Dispatch(message, ref seen));
            Require(type, "DispatchAsync", expected, await _dispatcher.DispatchAsync(message, seen).AsTask().InTime());
            Require(type, "calls", string.Join(' ', !has ? [] : handler.Kind == Kind.Async ? [handler.Number] : new[] { handler.Number, handler.Number }), string.Join(' ', seen));
        }

        private void Require<TValue>(uint type, string what, TValue expected, TValue found)
        {
            if (!EqualityComparer<TValue>.Default.Equals(expected, found))
                Assert.Fail($"Seed {seed}, step {_step}: {what} of id {type} is {found}, and {expected} in the model.");
        }

        private static AsyncMessageHandler<Point, List<int>> Handle(int number) => (_, seen, _) =>
        {
            seen.Add(number);
            return default;
        };

        private static bool AreDifferent(Kind old, Kind added) => Contract(old) is { } first && Contract(added) is { } second && first != second;

        private static Type? Contract(Kind kind) => kind switch
        {
            Kind.Blittable or Kind.Async => typeof(Point),
            Kind.OtherBlittable => typeof(Celsius),
            Kind.Text => typeof(string),
            _ => null,
        };

        private static byte[] Message(uint type, Kind kind) => kind switch
        {
            Kind.OtherBlittable => Given.Packed(Given.Degrees(type), default),
            Kind.Text => Given.Packed(Given.Text(type), "text"),
            _ => Given.Packed(Given.Points(type), default),
        };

        private readonly record struct Handler(int Number, Kind Kind);
    }

    private enum Kind
    {
        Raw,
        Blittable,
        OtherBlittable,
        Text,
        Async,
    }
}
