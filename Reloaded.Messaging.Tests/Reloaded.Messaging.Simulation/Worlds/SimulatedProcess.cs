namespace Reloaded.Messaging.Simulation;

/// <summary>A program of the world, which may pause or die.</summary>
/// <param name="name">The name, for the trace.</param>
public sealed partial class SimulatedProcess(string name)
{
    private readonly List<Action> _held = [];

    /// <summary>The name, for the trace.</summary>
    public string Name { get; } = name;

    /// <summary>Whether the process runs no code for now.</summary>
    public bool IsPaused { get; private set; }

    /// <summary>Whether the program ends its connections by itself from now on.</summary>
    public bool EndsConnections { get; set; }

    /// <summary>Whether the process has died.</summary>
    public bool IsDead { get; private set; }

    /// <summary>Stops the process, as a debugger or a busy machine does. Its sockets still receive.</summary>
    public void Pause() => IsPaused = true;

    /// <summary>Continues the process. What became due meanwhile runs now.</summary>
    public void Resume()
    {
        IsPaused = false;
        foreach (var run in _held)
            World.Post(this, run);
        _held.Clear();
    }

    /// <summary>Ends the process. The system closes its sockets.</summary>
    /// <param name="isSilent">Whether the whole machine is gone, so that the other sides learn nothing.</param>
    public void Kill(bool isSilent)
    {
        IsDead = EndsConnections = true;
        _held.Clear();
        Network.CloseAll(this, isSilent);
        LoseOthers();
    }

    /// <summary>Runs code as this process.</summary>
    public Task<T> RunAsync<T>(Func<Task<T>> code)
    {
        var done = new TaskCompletionSource<T>(TaskCreationOptions.RunContinuationsAsynchronously);
        World.Post(this, () => _ = CompleteAsync());
        return done.Task;

        async Task CompleteAsync()
        {
            World.Enter(this);
            try
            {
                done.SetResult(await code().ConfigureAwait(false));
            }
            catch (Exception e)
            {
                done.SetException(e);
            }
        }
    }

    /// <inheritdoc cref="RunAsync{T}(Func{Task{T}})"/>
    public Task RunAsync(Func<Task> code) => RunAsync(async () =>
    {
        await code().ConfigureAwait(false);
        return true;
    });

    internal void Hold(Action run) => _held.Add(run);

    /// <summary>Ends what the process has at its death, besides its sockets.</summary>
    partial void LoseOthers();
}
