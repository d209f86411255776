using System.Text;
using Microsoft.CodeAnalysis.Text;

namespace Reloaded.Messaging.Tests.Support;

/// <summary>Source code in which <c>[|</c> and <c>|]</c> mark the places that a diagnostic is expected at.</summary>
internal sealed class MarkedSource
{
    private MarkedSource(string code, IReadOnlyList<TextSpan> marks)
    {
        Code = code;
        Marks = marks;
    }

    /// <summary>The code without the marks.</summary>
    public string Code { get; }

    /// <summary>Where the marks were, in the code without them, in order of their starts.</summary>
    public IReadOnlyList<TextSpan> Marks { get; }

    public static MarkedSource Parse(string marked)
    {
        var code = new StringBuilder(marked.Length);
        var marks = new List<TextSpan>();
        var opened = new Stack<int>();
        for (var i = 0; i < marked.Length; i++)
        {
            if (marked.AsSpan(i).StartsWith("[|"))
            {
                opened.Push(code.Length);
                i++;
            }
            else if (marked.AsSpan(i).StartsWith("|]"))
            {
                marks.Add(TextSpan.FromBounds(opened.Pop(), code.Length));
                i++;
            }
            else
            {
                code.Append(marked[i]);
            }
        }

        marks.Sort();
        return opened.Count == 0 ? new MarkedSource(code.ToString(), marks) : throw new FormatException("A mark is not closed.");
    }
}
