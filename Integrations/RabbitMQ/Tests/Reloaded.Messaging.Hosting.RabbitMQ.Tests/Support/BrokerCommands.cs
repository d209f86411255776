using System;
using System.Threading.Tasks;
using Examples.Broker;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Commands of an operator.</summary>
internal static class BrokerCommands
{
    /// <summary>Lets the broker be low on memory or disk. It then blocks the connections that publish: it tells so to a connection at its next message.</summary>
    public static async Task StartAlarmAsync(this LocalBroker broker, string resource = "memory")
    {
        await broker.EvaluateAsync(resource == "memory" ? "vm_memory_monitor:set_vm_memory_high_watermark(0.00001)" : "rabbit_disk_monitor:set_disk_free_limit(\"1000000GB\")");
        await Signal.UntilAsync(async () => (await broker.EvaluateAsync("rabbit_alarm:get_alarms()")).Contains(resource, StringComparison.Ordinal)); // the command does not wait until the connections know
    }

    /// <summary>Ends the alarms for memory and disk.</summary>
    public static async Task EndAlarmsAsync(this LocalBroker broker)
    {
        await broker.EvaluateAsync("vm_memory_monitor:set_vm_memory_high_watermark(0.4), rabbit_disk_monitor:set_disk_free_limit(\"1MB\")");
        await Signal.UntilAsync(async () => await broker.EvaluateAsync("rabbit_alarm:get_alarms()") == "[]");
    }

    /// <summary>Returns whether the version of the broker is 4 or later.</summary>
    public static async Task<bool> IsVersion4Async(this LocalBroker broker) => !(await broker.EvaluateAsync("rabbit_misc:version()")).StartsWith("\"3.", StringComparison.Ordinal);

    /// <summary>Closes all connections.</summary>
    public static Task CloseConnectionsAsync(this LocalBroker broker, string reason) =>
        broker.EvaluateAsync($"[catch rabbit_networking:close_connection(Connection, \"{reason}\") || Connection <- rabbit_networking:connections()]"); // a connection may end meanwhile

    /// <summary>Adds a user with the permission to publish only to topics that match a pattern. The password is "secret".</summary>
    public static Task AddUserAsync(this LocalBroker broker, string user, string exchange, string topics) =>
        broker.EvaluateAsync($"""
            rabbit_auth_backend_internal:add_user(<<"{user}">>, <<"secret">>, <<"test">>),
            rabbit_auth_backend_internal:set_permissions(<<"{user}">>, <<"/">>, <<".*">>, <<".*">>, <<".*">>, <<"test">>),
            rabbit_auth_backend_internal:set_topic_permissions(<<"{user}">>, <<"/">>, <<"{exchange}">>, <<"{topics}">>, <<".*">>, <<"test">>)
            """);

    /// <summary>Returns properties of a queue, as Erlang prints them; "none" if the queue does not exist. This does not count as a use of the queue.</summary>
    public static Task<string> GetQueueAsync(this LocalBroker broker, string queue, string properties) =>
        broker.EvaluateAsync($$"""
            case rabbit_amqqueue:lookup(rabbit_misc:r(<<"/">>, queue, <<"{{queue}}">>)) of
                {ok, Queue} -> rabbit_amqqueue:info(Queue, [{{properties}}]);
                {error, not_found} -> none
            end
            """);
}
