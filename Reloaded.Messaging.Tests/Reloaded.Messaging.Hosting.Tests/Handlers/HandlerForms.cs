using System;
using System.Threading;
using System.Threading.Tasks;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;

namespace Reloaded.Messaging.Tests.Handlers;

[Message(80)]
public readonly record struct Suspend(int Mod) : IRequest;

[Message(81)]
public sealed record ListMods(bool LoadedOnly) : IRequest<ModList>;

[Message(82)]
public sealed record ModList(int Count);

/// <summary>Every form in which a program writes a handler. Behind each stands the delegate that the compiler must choose, in C# 12 and later.</summary>
public static class HandlerForms
{
    private static readonly MessageContract<Suspend> s_suspend = MessageContract.GetDeclared<Suspend>();
    private static readonly MessageContract<ListMods> s_list = MessageContract.GetDeclared<ListMods>();
    private static readonly MessageContract<ModList> s_modList = MessageContract.GetDeclared<ModList>();
    private static int s_mods;

    public static void RegisterEvents(MessageHost host)
    {
        host.On<Suspend>(s => Handle(s)); // Action<Suspend>
        host.On((Suspend s) => Handle(s)); // Action<Suspend>
        host.On<Suspend>(_ => s_mods++); // Action<Suspend>
        host.On<Suspend>(Handle); // Action<Suspend>
        host.On<Suspend>((s, p) => { HandleFrom(s, p); }); // Action<Suspend, Peer>
        host.On((Suspend s, Peer p) => p.Send(s)); // Action<Suspend, Peer>
        host.On<Suspend>(HandleFrom); // Action<Suspend, Peer>
        host.On((in Suspend s, Peer p) => HandleFrom(s, p)); // EventMessageHandler<Suspend, Peer>
        host.On<Suspend>(HandleIn); // EventMessageHandler<Suspend, Peer>
        host.On<Suspend>(async s => await Task.Yield()); // Func<Suspend, ValueTask>
        host.On(async (Suspend s) => { await Task.Yield(); }); // Func<Suspend, ValueTask>
        host.On<Suspend>(HandleValueAsync); // Func<Suspend, ValueTask>
        host.On<Suspend>(async (s, p) => await Task.Yield()); // Func<Suspend, Peer, ValueTask>
        host.On(async (Suspend s, Peer p) => { await Task.Yield(); }); // Func<Suspend, Peer, ValueTask>
        host.On<Suspend>(HandleFromValueAsync); // Func<Suspend, Peer, ValueTask>
        host.On<Suspend>(async (s, p, token) => await Task.Delay(1, token)); // Func<Suspend, Peer, CancellationToken, ValueTask>
        host.On(async (Suspend s, Peer p, CancellationToken token) => { await Task.Delay(1, token); }); // Func<Suspend, Peer, CancellationToken, ValueTask>
        host.On<Suspend>(s => HandleAsync(s)); // Func<Suspend, Task>
        host.On((Suspend s) => HandleAsync(s)); // Func<Suspend, Task>
        host.On<Suspend>(HandleAsync); // Func<Suspend, Task>
        host.On((Suspend s, Peer p) => HandleFromAsync(s, p)); // Func<Suspend, Peer, Task>
        host.On<Suspend>(HandleFromAsync); // Func<Suspend, Peer, Task>
        host.On<Suspend>(HandleUntilAsync); // Func<Suspend, Peer, CancellationToken, Task>
        host.On(s_suspend, (in Suspend s, Peer p) => HandleFrom(s, p)); // EventMessageHandler<Suspend, Peer>
        host.On(s_suspend, HandleIn); // EventMessageHandler<Suspend, Peer>
        host.On(s_suspend, async (s, p, token) => await Task.Delay(1, token)); // Func<Suspend, Peer, CancellationToken, ValueTask>
        host.On(s_suspend, HandleUntilValueAsync); // Func<Suspend, Peer, CancellationToken, ValueTask>
    }

    public static void RegisterRequests(MessageHost host)
    {
        host.OnRequest((ListMods r) => new ModList(s_mods)); // Func<ListMods, ModList>
        host.OnRequest<ListMods, ModList>(r => new ModList(s_mods)); // Func<ListMods, ModList>
        host.OnRequest<ListMods, ModList>(_ => new(s_mods)); // Func<ListMods, ModList>
        host.OnRequest<ListMods, ModList>(List); // Func<ListMods, ModList>
        host.OnRequest((ListMods r) => r.LoadedOnly ? throw new RequestFaultException(1000, "No.") : new ModList(1)); // Func<ListMods, ModList>
        host.OnRequest((ListMods r, Peer p) => new ModList(s_mods)); // Func<ListMods, Peer, ModList>
        host.OnRequest<ListMods, ModList>(ListFrom); // Func<ListMods, Peer, ModList>
        host.OnRequest((in ListMods r, Peer p) => new ModList(s_mods)); // RequestHandler<ListMods, ModList, Peer>
        host.OnRequest(async (ListMods r) => { await Task.Yield(); return new ModList(1); }); // Func<ListMods, ValueTask<ModList>>
        host.OnRequest<ListMods, ModList>(async r => { await Task.Yield(); return new ModList(1); }); // Func<ListMods, ValueTask<ModList>>
        host.OnRequest(async (ListMods r, Peer p) => { await Task.Yield(); return new ModList(1); }); // Func<ListMods, Peer, ValueTask<ModList>>
        host.OnRequest(async (ListMods r, Peer p, CancellationToken token) => { await Task.Yield(); return new ModList(1); }); // AsyncRequestHandler<ListMods, ModList, Peer>
        host.OnRequest<ListMods, ModList>(async (r, p, token) => { await Task.Yield(); return new ModList(1); }); // AsyncRequestHandler<ListMods, ModList, Peer>
        host.OnRequest<ListMods, ModList>(ListValueAsync); // Func<ListMods, ValueTask<ModList>>
        host.OnRequest((ListMods r) => ListAsync(r)); // Func<ListMods, Task<ModList>>
        host.OnRequest<ListMods, ModList>(ListAsync); // Func<ListMods, Task<ModList>>
        host.OnRequest<ListMods, ModList>(ListFromAsync); // Func<ListMods, Peer, Task<ModList>>
        host.OnRequest<ListMods, ModList>(ListUntilAsync); // Func<ListMods, Peer, CancellationToken, Task<ModList>>
        host.OnRequest<ListMods, ModList>(ListIn); // RequestHandler<ListMods, ModList, Peer>
        host.OnRequest(s_list, s_modList, (in ListMods r, Peer p) => new ModList(s_mods)); // RequestHandler<ListMods, ModList, Peer>
        host.OnRequest(s_list, s_modList, ListIn); // RequestHandler<ListMods, ModList, Peer>
        host.OnRequest(s_list, s_modList, async (r, p, token) => { await Task.Yield(); return new ModList(1); }); // AsyncRequestHandler<ListMods, ModList, Peer>
        host.OnRequest(s_list, s_modList, ListUntilValueAsync); // AsyncRequestHandler<ListMods, ModList, Peer>
    }

    public static void RegisterRequestsWithoutReply(MessageHost host)
    {
        host.OnRequest((Suspend s) => { Handle(s); }); // Action<Suspend>
        host.OnRequest((Suspend s) => Handle(s)); // Action<Suspend>
        host.OnRequest<Suspend>(s => Handle(s)); // Action<Suspend>
        host.OnRequest<Suspend>(Handle); // Action<Suspend>
        host.OnRequest((Suspend s, Peer p) => { HandleFrom(s, p); }); // Action<Suspend, Peer>
        host.OnRequest<Suspend>(HandleFrom); // Action<Suspend, Peer>
        host.OnRequest(async (Suspend s) => { await Task.Yield(); }); // Func<Suspend, ValueTask>
        host.OnRequest<Suspend>(HandleValueAsync); // Func<Suspend, ValueTask>
        host.OnRequest(async (Suspend s, Peer p) => { await Task.Yield(); }); // Func<Suspend, Peer, ValueTask>
        host.OnRequest(async (Suspend s, Peer p, CancellationToken token) => { await Task.Delay(1, token); }); // Func<Suspend, Peer, CancellationToken, ValueTask>
        host.OnRequest((Suspend s) => HandleAsync(s)); // Func<Suspend, Task>
        host.OnRequest<Suspend>(HandleAsync); // Func<Suspend, Task>
        host.OnRequest<Suspend>(HandleFromAsync); // Func<Suspend, Peer, Task>
        host.OnRequest<Suspend>(HandleUntilAsync); // Func<Suspend, Peer, CancellationToken, Task>
    }

    public static async Task RequestAsync(MessageClient game, Peer peer)
    {
        ModList list = await game.RequestAsync(new ListMods(true));
        RequestResult<ModList> result = await peer.TryRequestAsync(new ListMods(true), TimeSpan.FromSeconds(1));
        await peer.RequestAsync(new Suspend(list.Count + result.Reply!.Count));
        await game.TryRequestAsync(new Suspend(3));
    }

    private static void Handle(Suspend s) => s_mods += s.Mod;

    private static void HandleFrom(Suspend s, Peer p) => p.Send(s);

    private static void HandleIn(in Suspend s, Peer p) => p.Send(s);

    private static Task HandleAsync(Suspend s) => Task.CompletedTask;

    private static Task HandleFromAsync(Suspend s, Peer p) => Task.CompletedTask;

    private static Task HandleUntilAsync(Suspend s, Peer p, CancellationToken token) => Task.CompletedTask;

    private static ValueTask HandleValueAsync(Suspend s) => default;

    private static ValueTask HandleFromValueAsync(Suspend s, Peer p) => default;

    private static ValueTask HandleUntilValueAsync(Suspend s, Peer p, CancellationToken token) => default;

    private static ModList List(ListMods r) => new(s_mods);

    private static ModList ListFrom(ListMods r, Peer p) => new(s_mods);

    private static ModList ListIn(in ListMods r, Peer p) => new(s_mods);

    private static ValueTask<ModList> ListValueAsync(ListMods r) => new(new ModList(s_mods));

    private static ValueTask<ModList> ListUntilValueAsync(ListMods r, Peer p, CancellationToken token) => new(new ModList(s_mods));

    private static Task<ModList> ListAsync(ListMods r) => Task.FromResult(new ModList(s_mods));

    private static Task<ModList> ListFromAsync(ListMods r, Peer p) => Task.FromResult(new ModList(s_mods));

    private static Task<ModList> ListUntilAsync(ListMods r, Peer p, CancellationToken token) => Task.FromResult(new ModList(s_mods));
}
