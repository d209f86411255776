using System;
using FirstMessage.Contracts;
using Reloaded.Messaging;
using Reloaded.Messaging.Hosting;
using UnityEngine;
using UnityEngine.SceneManagement;

/// <summary>A server inside the game. Add this component to an object of the first scene.</summary>
public sealed class GameServer : MonoBehaviour
{
    private static readonly PumpBudget s_perFrame = PumpBudget.Time(TimeSpan.FromMilliseconds(2));

    private MessageServer _server;

    /// <summary>The endpoint that a tool connects to.</summary>
    public MessageEndpoint Endpoint => _server.Endpoint;

    private void Awake()
    {
        MessageContracts.Declare(); // Unity runs no module initializers
        var options = new MessageHostOptions { IsPumped = true, PublishedName = "first-message" };
        _server = MessageHost.ListenAsync(MessageEndpoint.Tcp(0), Register, options).GetAwaiter().GetResult();
        _server.HandlerFailed += failure => Debug.LogException(failure.Exception);
        Debug.Log("A tool can connect to " + Endpoint);
    }

    private void Update() => _server.Pump(s_perFrame);

    private void OnDestroy() => _server.DisposeAsync().AsTask().GetAwaiter().GetResult();

    /// <summary>Tells all tools that the score of a player changed.</summary>
    public void SetScore(int player, int score) => _server.Broadcast(new ScoreChanged(player, score));

    // The handlers run in Update, so they may use the game.
    private static void Register(MessageServer server) =>
        _ = server.OnRequest((AskStatus request) => new GameStatus(SceneManager.GetActiveScene().name, Time.frameCount));
}
