using Reloaded.Messaging;

namespace FirstMessage.Contracts
{
    /// <summary>Asks how the game runs.</summary>
    [Message(10)]
    public sealed record AskStatus(string Tool) : IRequest<GameStatus>;

    /// <summary>How the game runs.</summary>
    [Message(11)]
    public sealed record GameStatus(string Scene, int Frame);

    /// <summary>The score changed.</summary>
    [Message(12)]
    public readonly struct ScoreChanged
    {
        public readonly int Player;
        public readonly int Score;

        public ScoreChanged(int player, int score)
        {
            Player = player;
            Score = score;
        }
    }
}
