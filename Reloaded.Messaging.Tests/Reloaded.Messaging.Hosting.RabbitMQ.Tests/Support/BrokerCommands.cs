using System.Threading.Tasks;
using Examples.Broker;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Commands of an operator.</summary>
internal static class BrokerCommands
{
    /// <summary>Closes all connections.</summary>
    public static Task CloseConnectionsAsync(this LocalBroker broker, string reason) =>
        broker.EvaluateAsync($"[rabbit_networking:close_connection(Connection, \"{reason}\") || Connection <- rabbit_networking:connections()]");

    /// <summary>Adds a user who may publish only to topics that match a pattern. The password is "secret".</summary>
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
